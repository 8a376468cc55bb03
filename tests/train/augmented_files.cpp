// SPDX-License-Identifier: MIT
// labels: threads
// Pictures in files that are changed as they are read, beside the same pictures in memory.
#include <doctest/doctest.h>

#include <sinter/data/augment.hpp>
#include <sinter/data/batches.hpp>
#include <sinter/data/labelled_data.hpp>
#include <sinter/data/read_ahead.hpp>
#include <sinter/layers/activation.hpp>
#include <sinter/layers/conv2d.hpp>
#include <sinter/layers/flatten.hpp>
#include <sinter/layers/linear.hpp>
#include <sinter/loss/cross_entropy.hpp>
#include <sinter/model/sequential.hpp>
#include <sinter/optimizer/sgd.hpp>
#include <sinter/train/evaluate_records.hpp>
#include <sinter/train/fit.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
using Row = Shape<2, 5, 4>;
struct Net : Sequential<Input<2, 5, 4>, Conv2d<3, 3>, ReLU, Flatten, Linear<4>> {};
using Files = RecordFiles<std::uint8_t, Row, std::uint8_t>;

/// The same pictures in two files and in memory.
struct Pictures {
  explicit Pictures(std::size_t count) {
    std::vector<std::uint8_t> records;
    for (std::size_t row = 0; row < count; ++row) {
      labels.push_back(static_cast<std::uint8_t>(row % 4));
      records.push_back(labels.back());
      for (std::size_t k = 0; k < 40; ++k) pixels.push_back(static_cast<std::uint8_t>(row * (k + 3) % 251));
      records.insert(records.end(), pixels.end() - 40, pixels.end());
    }
    write_bytes(folder / "a.bin", std::vector<std::uint8_t>(records.begin(), records.begin() + 41 * 13));
    write_bytes(folder / "b.bin", std::vector<std::uint8_t>(records.begin() + 41 * 13, records.end()));
  }
  auto in_memory() const { return LabelledData<std::uint8_t, Row, std::uint8_t>(pixels, labels, scale); }
  Files in_files() const { return Files({folder / "a.bin", folder / "b.bin"}, scale); }
  TemporaryFolder folder;
  Normalize scale = Normalize::pixels(0.5f, 0.25f);
  std::vector<std::uint8_t> pixels, labels;
};

std::vector<float> fitted(const auto& data) {
  Network<Net> net{Host{.threads = 2}, {.seed = 4}};
  const History history = fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.9},
                              {.batch_size = 8, .epochs = 3, .held_out = {20, 15}});
  std::vector<float> numbers(net.data(), net.data() + net.to_host().size());
  for (const EpochRecord& record : history.epochs)
    for (const double x : {record.train_loss, record.validation_loss}) numbers.push_back(static_cast<float>(x));
  return numbers;
}
}  // namespace

TEST_CASE("fit on changed pictures in files has the bits of the same pictures in memory") {
  const Pictures pictures(77);
  const auto memory = pictures.in_memory();
  const auto files = pictures.in_files();
  const AugmentOptions options{.seed = 3, .fill = 7};
  const RandomCrop crop{.padding = 2};
  const RandomHorizontalFlip flip{};
  const auto changed = fitted(augment(files, options, crop, flip));
  CHECK(changed == fitted(augment(memory, options, crop, flip)));
  CHECK(changed != fitted(files));
  CHECK(fitted(augment(files, options)) == fitted(files));
}

TEST_CASE("batches of an epoch are changed, and those of the files and of evaluate are not") {
  const Pictures pictures(31);
  const auto memory = pictures.in_memory();
  const auto files = pictures.in_files();
  const auto moved = augment(files, {.seed = 5}, RandomShift{1, 2});
  const auto want = augment(memory, {.seed = 5}, RandomShift{1, 2}).epoch(6);
  const auto epoch = moved.epoch(6);
  const auto same = [](auto&& all, const auto& data) {
    std::size_t right = 0;
    for (const auto& batch : all)
      for (std::size_t i = 0; i < batch.size(); ++i)
        right += std::equal(batch.inputs().row(i), batch.inputs().row(i) + Row::size,
                            data.inputs().row(static_cast<std::size_t>(batch.rows()[i])));
    return right;
  };
  CHECK(same(batches(epoch, {.batch_size = 8}), want) == 31);
  CHECK(same(batches(moved, {.batch_size = 8}), memory) == 31);
  const Network<Net> net{{.seed = 1}};
  CHECK(evaluate(net, moved, CrossEntropyLoss{}).loss == evaluate(net, files, CrossEntropyLoss{}).loss);
  CHECK(subset(moved, 20, 5).size() == 5);
}

TEST_CASE("wrong options are refused") {
  const Pictures pictures(14);
  const auto files = pictures.in_files();
  CHECK(has(error_of([&] { augment(files, {.fill = -1}, RandomHorizontalFlip{}); }), "augment was given fill = -1"));
  CHECK(has(error_of([&] { augment(files, {}, RandomCrop{-1}); }), "RandomCrop was given padding = -1"));
}
