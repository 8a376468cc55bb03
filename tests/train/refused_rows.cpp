// SPDX-License-Identifier: MIT
// Rows and places that a dataset, a network or a picture does not have are refused in words, wherever they come in.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/data/record_files.hpp"
#include "sinter/fixed_trainer.hpp"
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

struct Rows : Sequential<Input<2>, Embedding<5, 4>, Flatten, Linear<2>> {};
struct Small : Sequential<Input<2>, Linear<4>, ReLU, Dropout<0.5>, Linear<2>> {};
const std::vector<int> labels{0, 1}, three{0, 1, 0};
const TensorView<const float, Shape<2>> nowhere{nullptr, 3};

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// A transform that moves pixels to places that no picture has.
struct Far {
  void check() const {}
  void operator()(const auto&, const auto& places) const {
    for (int& x : places.x) x += 100000;
  }
};

}  // namespace

TEST_CASE("numbers that an Embedding has no row for, where a network is judged") {
  const Network<Rows> net;
  const Tensor<float, Shape<2>> x{7, 1, 1, 1};
  const auto data = dataset(x, labels);
  const char* const text = "row 0, feature 0 of the inputs is 7, expected 0 to 4 for the Embedding of layer 0";
  CHECK(says(error_of([&] { evaluate(net, data, CrossEntropyLoss{}); }), text));
  CHECK(says(error_of([&] { score(net, data); }), text));
  CHECK(says(error_of([&] { confusion_matrix(net, data); }), text));
  CHECK(says(error_of([&] { top_k_accuracy(net, data, 1); }), text));
}

TEST_CASE("snapshots of no Trainer") {
  Network<Small> net;
  Trainer trainer{net, CrossEntropyLoss{}, Adam{}};
  const Tensor<float, Shape<2>> x{1, 2, 3, 4};
  trainer.step(x, labels);
  const auto wrong = [&](auto change) {
    auto snapshot = trainer.snapshot();
    change(snapshot);
    return says(error_of([&] { trainer.restore(snapshot); }), "a number of steps, a rate or a factor that none has");
  };
  CHECK(wrong([](auto& s) { s.steps = -1; }));
  CHECK(wrong([](auto& s) { s.attempts = 0; }));
  CHECK(wrong([](auto& s) { s.rate = NAN; }));
  CHECK(wrong([](auto& s) { s.factors = {1, NAN, 1, 1}; }));
  CHECK(wrong([](auto& s) { s.factors = {1, -1, 1, 1}; }));
  const auto refused = [&](auto change) {
    auto snapshot = trainer.snapshot();
    change(snapshot);
    return error_of([&] { trainer.restore(snapshot); });
  };
  CHECK(
      refused([](auto& s) { s.state[1] = NAN; }) ==
      "the state 0 of the optimizer has nan for 0.weight, expected finite numbers; correct what was written to it, or "
      "continue from an earlier snapshot or checkpoint");
  CHECK(says(refused([](auto& s) { s.state[s.state.size() / 2] = NAN; }), "the state 1 of the optimizer has nan"));
  CHECK(says(refused([](auto& s) { s.state[0] = HUGE_VALF; }), "the state 0 of the optimizer has inf"));
  Trainer other{net, CrossEntropyLoss{}, AdamW{}};  // whose state has the size of Adam's
  CHECK(says(error_of([&] { other.restore(trainer.snapshot()); }),
             "a Trainer with AdamW was given the snapshot of one "
             "with Adam;"));
  CHECK(says(refused([&](auto& s) { s.optimizer = "AdamW"; }),
             "a Trainer with Adam was given the snapshot of one with "
             "AdamW; give it that of the same model and optimizer"));
  CHECK(says(refused([&](auto& s) { s.optimizer.clear(); }),
             "a Trainer with Adam was given the snapshot of one with no"));
  CHECK(says(refused([&](auto& s) { ++s.model; }), "the snapshot of one of another model"));
  trainer.restore(trainer.snapshot());
  CHECK(trainer.steps() == 1);
}

TEST_CASE("scales by which inputs overflow") {
  Network<Small> net;
  const Tensor<std::uint8_t, Shape<2>> bytes{1, 255, 3, 4};
  const auto data = dataset(bytes, labels, Normalize{1e37f, 0});
  const char* const text = "integers up to 255 were to be scaled by";
  CHECK(says(error_of([&] { predict(net, data); }), text));
  CHECK(says(error_of([&] { predict_with_dropout(net, data, 0); }), text));
  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  CHECK(says(error_of([&] { trainer.step(data); }), text));
  const Tensor<float, Shape<2>> x{1, 2, 100, 4};
  CHECK(says(error_of([&] { evaluate(net, dataset(x, labels, Normalize{1e38f, 0}), CrossEntropyLoss{}); }),
             "row 1, feature 0 of the inputs, scaled by their Normalize, is 9.99"));
}

TEST_CASE("rows that are not there, and places outside of a picture") {
  CHECK(says(error_of([&] { batches(dataset(nowhere, three), {.batch_size = 2}); }), "3 rows at a null pointer"));
  CHECK(says(error_of([&] { subset(dataset(nowhere, three), std::vector<int>{0}); }), "3 rows at a null pointer"));
  CHECK(says(error_of([&] { standardise(nowhere); }), "3 rows at a null pointer"));
  const Tensor<float, Shape<1, 4, 4>> pictures(2);
  const auto data = dataset(pictures, labels);
  CHECK(says(error_of([&] { augment(data, {.seed = 1}, Far{}).epoch(0); }),
             "moved pixels of row 0 to columns from number 100000 of 4"));
  const std::vector<std::uint32_t> wanted{1, 2};
  CHECK(
      says(error_of([&] { augment(data, {.seed = 1}, RandomCrop{}).epoch(0, wanted); }), "row 2 of 2 augmented rows"));
}

TEST_CASE("rows of files that are not there, or that a network cannot hold") {
  using Files = RecordFiles<double, Shape<2>, std::uint8_t>;
  const TemporaryFolder folder;
  std::string bytes;
  for (const double number : {1.0, 1e300})
    for (int row = 0; row < 2; ++row) {
      bytes += '\1';
      for (int i = 0; i < 2; ++i) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  write_file(folder / "rows.bin", bytes);
  const Files files({folder / "rows.bin"});
  CHECK(says(error_of([&] { batches(files, {.batch_size = 2, .first = 6}); }), "first = 6 for 4 rows"));
  Files::Reader reader(files);
  double row[2];
  std::uint8_t label = 0;
  CHECK(says(error_of([&] { reader.read(4, row, label); }), "row 4 of 4 in files"));
  const Files two = subset(files, 0, 2);
  Files::Reader of_two(two);
  CHECK(says(error_of([&] { of_two.read(3, row, label); }), "row 3 of 2 in files"));
  Network<Small> net;
  CHECK(says(error_of([&] { evaluate(net, files, CrossEntropyLoss{}); }), "row 2 of the files is 1e+300"));
  CHECK_NOTHROW(evaluate(net, two, CrossEntropyLoss{}));
}

TEST_CASE("a FixedTrainer takes labels that its loss ignores") {
  struct Plain : Sequential<Input<2>, Linear<2>> {};
  using Training = FixedTrainer<Plain, WeightedCrossEntropyLoss<2>, SGD, 4>;
  Network<Plain> net;
  const WeightedCrossEntropyLoss<2> loss{.ignore_index = -100};
  const Tensor<float, Shape<2>> x{1, 2, 3, 4};
  const std::vector<int> ignoring{-100, 1};
  Trainer same{net, loss, SGD{.lr = 0.1}};
  const float wanted = same.step(x, ignoring);
  const auto packed = packed_bytes(Network<Plain>());
  static Training training(std::span<const std::byte>{packed}, loss, {.lr = 0.1});
  CHECK(training.step(x.view(), std::span<const int>(ignoring)) == wanted);
}
