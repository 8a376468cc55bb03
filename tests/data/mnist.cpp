// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <filesystem>
#include <sinter/data/mnist.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
/// A folder of four good files: 12 training and 5 test images.
struct Folder : TemporaryFolder {
  explicit Folder(char mark = '-') {
    for (const auto& [part, count] : {std::pair{"/train", 12u}, std::pair{"/t10k", 5u}}) {
      write_bytes(path + part + "-images" + mark + "idx3-ubyte", idx_bytes({count, 28, 28}, count * 784));
      write_bytes(path + part + "-labels" + mark + "idx1-ubyte", idx_bytes({count}, count, 10));
    }
  }
  std::string refusal() const {
    return rename_in(error_of([&] { read_mnist(path); }), path, "DIR");
  }
};
}  // namespace

TEST_CASE("both spellings of the publishers' names") {
  for (const char mark : {'-', '.'}) {
    const auto data = read_mnist(Folder(mark).path);
    CHECK(data.train.size() == 12);
    CHECK(data.test.size() == 5);
    CHECK(data.train.targets()[11] == 1);
    CHECK(data.test.inputs()(1, 0, 0, 1) == 785 % 256);
    CHECK(normalize_of(data.test) == Normalize::pixels(0.1307f, 0.3081f));
  }
}

TEST_CASE("no folder, no file, packed files") {
  Folder folder;
  CHECK(error_of([] { read_mnist("/nowhere/mnist"); }) ==
        "the folder /nowhere/mnist does not exist, expected one with the MNIST files (train-images-idx3-ubyte, ..); "
        "get them with examples/data/fetch, or check the path");
  const std::string labels = folder / "t10k-labels-idx1-ubyte";
  std::filesystem::rename(labels, labels + ".gz");
  CHECK(folder.refusal() ==
        "DIR/t10k-labels-idx1-ubyte.gz is compressed by gzip, expected DIR/t10k-labels-idx1-ubyte; "
        "run: gunzip DIR/t10k-labels-idx1-ubyte.gz");
  std::filesystem::remove(labels + ".gz");
  CHECK(folder.refusal() ==
        "the folder DIR has no file t10k-labels-idx1-ubyte, expected the four MNIST files; "
        "get them with examples/data/fetch, or check the path");
}

TEST_CASE("files that do not belong together") {
  Folder folder;
  const std::string images = folder / "train-images-idx3-ubyte", labels = folder / "train-labels-idx1-ubyte";
  write_bytes(labels, idx_bytes({11}, 11, 10));
  CHECK(folder.refusal() ==
        "DIR/train-images-idx3-ubyte holds 12 images and DIR/train-labels-idx1-ubyte 11 labels, expected as many; "
        "take both from one source");
  write_bytes(labels, idx_bytes({12}, 12, 11));
  CHECK(folder.refusal().find("row 10 of DIR/train-labels-idx1-ubyte is 10, expected 0 to 9") == 0);
  write_bytes(labels, idx_bytes({1, 1, 1}, 1));
  CHECK(folder.refusal().find("DIR/train-labels-idx1-ubyte has 3 dimensions, expected 1 (labels)") == 0);
  write_bytes(images, idx_bytes({12, 20, 30}, 7200));
  CHECK(folder.refusal().find("DIR/train-labels-idx1-ubyte has 3 dimensions") == 0);
  write_bytes(labels, idx_bytes({12}, 12, 10));
  CHECK(folder.refusal() ==
        "DIR/train-images-idx3-ubyte holds images of 20 x 30, expected 28 x 28; "
        "read another size with read_idx() and dataset()");
  write_bytes(images, idx_bytes({12}, 12));
  CHECK(folder.refusal().find("DIR/train-images-idx3-ubyte has 1 dimension, expected 3 (images)") == 0);
  write_bytes(images, idx_bytes({12, 28, 28}, 12 * 784 - 1));
  CHECK(folder.refusal().find("DIR/train-images-idx3-ubyte announces 12 x 28 x 28 bytes, but 9407 follow") == 0);
}

#if defined(SINTER_MNIST_SUBSET)
TEST_CASE("the embedded subset: 500 and 100 of each digit, in the publishers' order") {
  const auto data = read_mnist(SINTER_MNIST_SUBSET);
  CHECK(data.train.size() == 5000);
  CHECK(data.test.size() == 1000);
  int count[10] = {};
  for (const auto label : data.train.targets()) ++count[label];
  for (const int n : count) CHECK(n == 500);
  const int first[] = {5, 0, 4, 1, 9, 2, 1, 3, 1, 4};
  for (std::size_t i = 0; i < 10; ++i) CHECK(data.train.targets()[i] == first[i]);
  double sum = 0;
  for (std::size_t row = 0; row < 5000; ++row)
    for (int i = 0; i < 784; ++i) sum += data.train.inputs().row(row)[i];
  CHECK(sum / (5000 * 784 * 255.) == doctest::Approx(0.1307).epsilon(0.02));
}
#endif
