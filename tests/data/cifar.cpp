// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <sinter/data/cifar.hpp>
#include <sinter/data/gray.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
/// Records of a file: labels from `first` on, then pixels 0, 1, .. modulo 251, the next record one further.
std::vector<std::uint8_t> records(int count, std::vector<int> first, int classes) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < count; ++i) {
    for (const int label : first) bytes.push_back(static_cast<std::uint8_t>((label + i) % classes));
    for (int p = 0; p < 3072; ++p) bytes.push_back(static_cast<std::uint8_t>((p + i) % 251));
  }
  return bytes;
}
struct Folder10 : TemporaryFolder {
  Folder10() {
    for (int i = 1; i <= 5; ++i) write_bytes(*this / ("data_batch_" + std::to_string(i) + ".bin"), records(2, {i}, 10));
    write_bytes(*this / "test_batch.bin", records(3, {7}, 10));
  }
  std::string refusal() const {
    return rename_in(error_of([&] { read_cifar10(path); }), path, "DIR");
  }
};
}  // namespace

TEST_CASE("CIFAR-10: five files to train on and one to test by, in their order") {
  const Folder10 folder;
  const Cifar data = read_cifar10(folder.path);
  REQUIRE(data.train.size() == 10);
  REQUIRE(data.test.size() == 3);
  for (std::size_t i = 0; i < 10; ++i) CHECK(data.train.targets()[i] == i / 2 + 1 + i % 2);
  CHECK(data.test.targets()[2] == 9);
  const auto x = data.train.inputs();
  CHECK(int{x(0, 0, 0, 1)} == 1);
  CHECK(int{x(0, 1, 0, 0)} == 1024 % 251);
  CHECK(int{x(3, 2, 31, 31)} == 3072 % 251);
  CHECK(normalize_of(data.train) == Normalize::pixels(0.4734f, 0.2516f));
}

TEST_CASE("CIFAR-100: the fine or the coarse class") {
  const TemporaryFolder folder;
  write_bytes(folder / "train.bin", records(4, {3, 96}, 100));
  write_bytes(folder / "test.bin", records(1, {19, 99}, 100));
  const Cifar fine = read_cifar100(folder.path), coarse = read_cifar100(folder.path, Cifar100Labels::coarse);
  REQUIRE(fine.train.size() == 4);
  CHECK(int{fine.train.targets()[3]} == 99);
  CHECK(int{coarse.train.targets()[3]} == 6);
  CHECK(int{fine.test.targets()[0]} == 99);
  CHECK(int{coarse.test.targets()[0]} == 19);
  CHECK(int{fine.train.inputs()(1, 0, 0, 0)} == 1);

  write_bytes(folder / "test.bin", records(1, {20, 5}, 100));
  CHECK(error_of([&] { read_cifar100(folder.path); }) == "(no error)");
  CHECK(error_of([&] { read_cifar100(folder.path, Cifar100Labels::coarse); }).find("the class 20, expected 0 to 19") !=
        std::string::npos);
}

TEST_CASE("no folder, no file, another version of the set") {
  const Folder10 folder;
  CHECK(
      error_of([] { read_cifar10("/nowhere/c"); }) ==
      "the folder /nowhere/c does not exist, expected one with the files of CIFAR-10 (data_batch_1.bin, ..); get them "
      "with examples/data/fetch, or check the path");
  std::filesystem::remove(folder / "data_batch_3.bin");
  CHECK(folder.refusal() ==
        "the folder DIR has no file data_batch_3.bin, expected the binary version of CIFAR-10, unpacked; get it with "
        "examples/data/fetch, or check the path");
  write_bytes(folder / "data_batch_3", std::string("pickle"));
  CHECK(folder.refusal() ==
        "DIR/data_batch_3 is of the version for Python, expected data_batch_3.bin of the binary version; fetch that");
  std::filesystem::create_directory(folder / "cifar-10-batches-bin");
  CHECK(folder.refusal() == "the folder DIR has no file data_batch_3.bin; give the folder DIR/cifar-10-batches-bin");
}

TEST_CASE("files that are cut off, packed, of another set, damaged") {
  const Folder10 folder;
  const std::string path = folder / "data_batch_2.bin";
  auto bytes = records(2, {1}, 10);
  bytes.pop_back();
  write_bytes(path, bytes);
  CHECK(folder.refusal() ==
        "DIR/data_batch_2.bin holds 6145 bytes, expected records of 3073 (the binary version of the set); it is "
        "truncated or another file: fetch it again");
  write_bytes(path, std::string());
  CHECK(folder.refusal().find("DIR/data_batch_2.bin holds 0 bytes") == 0);
  write_bytes(path, records(2, {1, 2}, 100));
  CHECK(folder.refusal().find("DIR/data_batch_2.bin holds 6148 bytes") == 0);
  write_bytes(path, std::string("\x1f\x8b\x08"));
  CHECK(folder.refusal().find("DIR/data_batch_2.bin is compressed by gzip") == 0);
  write_bytes(path, records(2, {9}, 11));
  CHECK(folder.refusal() ==
        "record 1 of DIR/data_batch_2.bin has the class 10, expected 0 to 9; the file is damaged or another one: fetch "
        "it again");
}

TEST_CASE("gray: 0.299 R + 0.587 G + 0.114 B, rounded") {
  const LabelledData<std::uint8_t, Shape<3, 1, 4>, int> pictures(
      {255, 0, 0, 10, 0, 255, 0, 20, 0, 0, 255, 30, 255, 1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3}, {7, 8},
      Normalize::pixels(0.5f, 1));
  const auto result = gray(pictures);
  REQUIRE(result.size() == 2);
  CHECK(result.targets()[1] == 8);
  CHECK(normalize_of(result) == Normalize::pixels(0.5f, 1));
  CHECK(normalize_of(gray(pictures, Normalize{})) == Normalize{});
  const int want[] = {76, 150, 29, 18, 255, 1, 2, 3};  // 76.2, 149.7, 29.07, 18.15
  for (int i = 0; i < 8; ++i) CHECK(int{result.inputs().data[i]} == want[i]);
}

#if defined(SINTER_CIFAR10_SUBSET)
TEST_CASE("the embedded subset: 35 and 10 of each class, real photographs") {
  const Cifar data = read_cifar10(SINTER_CIFAR10_SUBSET);
  REQUIRE(data.train.size() == 350);
  REQUIRE(data.test.size() == 100);
  int train[10] = {}, test[10] = {};
  for (const auto label : data.train.targets()) ++train[label];
  for (const auto label : data.test.targets()) ++test[label];
  for (int label = 0; label < 10; ++label) CHECK((train[label] == 35 && test[label] == 10));
  // The mean and deviation of the whole set, and neighbours that are alike: no noise, and no channel out of its place.
  double sum = 0, squares = 0, steps = 0;
  const auto x = data.train.inputs();
  for (std::size_t row = 0; row < 350; ++row)
    for (int i = 0; i < 3072; ++i) {
      const double pixel = x.row(row)[i] / 255., next = x.row(row)[i % 32 == 31 ? i - 1 : i + 1] / 255.;
      sum += pixel, squares += pixel * pixel, steps += (pixel - next) * (pixel - next);
    }
  const double n = 350 * 3072, mean = sum / n, deviation = std::sqrt(squares / n - mean * mean);
  CHECK(mean == doctest::Approx(0.4734).epsilon(0.04));
  CHECK(deviation == doctest::Approx(0.2516).epsilon(0.04));
  CHECK(std::sqrt(steps / n) < deviation / 2);
}
#endif
