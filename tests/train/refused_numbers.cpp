// SPDX-License-Identifier: MIT
// Numbers and uses that cannot be right are refused in words, wherever they come in.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/function.hpp"
#include "sinter/inference.hpp"
#include "sinter/int8.hpp"
#include "sinter/io.hpp"
#include "sinter/serve.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2>, Linear<2>> {};
struct Logs : Sequential<Input<2>, Linear<2>, LogSoftmax> {};
struct TwoHeads : Sequential<Input<2>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};

const Tensor<float, Shape<2>> x{{0, 0, 0, 1, 1, 0}};

/// What each call says that takes the targets.
template <class Model, class Loss, class Targets>
void check_all(const Loss& loss, const Targets& targets, const std::string& text) {
  const auto data = dataset(x, targets);
  Network<Model> net;
  CHECK(error_of([&] { fit(net, data, loss, SGD{.lr = 0.1}); }) == text);
  CHECK(error_of([&] { evaluate(net, data, loss); }) == text);
  Trainer trainer{net, loss, SGD{.lr = 0.1}};
  CHECK(error_of([&] { trainer.step(x, targets); }) == text);
  CHECK(error_of([&] { trainer.step(data); }) == text);
  CHECK(error_of([&] { trainer.accumulate(x, targets); }) == text);
  const Tensor<float, Shape<2>> outputs(3);
  if constexpr (Network<Model>::output_size == 2) CHECK(error_of([&] { loss(outputs, targets); }) == text);
}

}  // namespace

TEST_CASE("targets that are no probabilities") {
  check_all<Net>(
      BCEWithLogitsLoss{}, Tensor<float, Shape<2>>{{0, 1, 0.5f, 0, 1, 4}},
      "number 1 of row 2 of the targets is 4, and BCEWithLogitsLoss compares with probabilities from 0 to 1; "
      "correct or scale the targets, or use MSELoss");
  check_all<Net>(
      BCEWithLogitsLoss{}, Tensor<double, Shape<2>>{{-1, 1, 1, -1, 1, 1}},
      "number 0 of row 0 of the targets is -1, and BCEWithLogitsLoss compares with probabilities from 0 to 1; "
      "correct or scale the targets, or use MSELoss");
  check_all<Logs>(KLDivLoss{}, Tensor<float, Shape<2>>{{0.5f, 0.5f, -0.5f, 0.5f, 0, 1}},
                  "number 0 of row 1 of the targets is -0.5, and KLDivLoss compares with probabilities from 0 to 1; "
                  "correct or scale the targets, or use MSELoss");
  check_all<Logs>(
      KLDivLoss{.log_target = true}, Tensor<float, Shape<2>>{{-1, -2, -3, 0, 0.5f, 0}},
      "number 0 of row 2 of the targets is 0.5, and KLDivLoss compares with logarithms of probabilities, at "
      "most 0; correct or scale the targets, or use MSELoss");
  check_all<TwoHeads>(head_losses<TwoHeads>(CrossEntropyLoss{}, BCEWithLogitsLoss{}),
                      Tensor<float, Shape<3>>{{0, 1, 1, 1, 0, 0, 2, 0, 2}},
                      "number 2 of row 2 of the targets is 2, and BCEWithLogitsLoss compares with probabilities from 0 "
                      "to 1; correct or scale the targets, or use MSELoss");
}

TEST_CASE("probabilities that were rounded are taken, and bytes as they are scaled") {
  Network<Net> net;
  const Tensor<float, Shape<2>> rounded{{0, 1.0000001f, -1e-7f, 0, 1, 0.5f}};
  CHECK(error_of([&] { fit(net, dataset(x, rounded), BCEWithLogitsLoss{}, SGD{}); }) == "(no error)");
  const std::vector<std::uint8_t> bytes{0, 255, 100, 200, 0, 1};
  const auto pixels = TensorView<const std::uint8_t, Shape<2>>::from(bytes);
  const auto fits = [&](Normalize normalize) {
    return error_of([&] { fit(net, dataset(pixels, pixels, normalize), BCEWithLogitsLoss{}, SGD{}); });
  };
  CHECK(fits(Normalize::pixels(0, 1)) == "(no error)");
  CHECK(has(fits(Normalize::pixels(0.5f, 0.5f)), "number 0 of row 0 of the targets is -1, and BCEWithLogitsLoss"));
}

TEST_CASE("a moving average of the network that is trained") {
  Network<Net> net, average;
  const auto data = dataset(x, x);
  const std::string text =
      "moving_average was given the network that is trained, expected another one for the average; make a second "
      "network of the model";
  CHECK(error_of([&] { fit(net, data, MSELoss{}, moving_average(Adam{}, net, 0.9)); }) == text);
  CHECK(error_of([&] { Trainer(net, MSELoss{}, per_step(moving_average(Adam{}, net), StepLR{})); }) == text);
  CHECK(error_of([&] { fit(net, data, MSELoss{}, moving_average(Adam{}, average, 0.9)); }) == "(no error)");
}

TEST_CASE("a label that would be the ignored one as a number of fewer bits") {
  const Tensor<float, Shape<2>> rows{{0, 0, 0, 1}};
  const std::vector<std::uint64_t> labels{0, std::uint64_t{0} - 100};
  const WeightedCrossEntropyLoss<2> loss;
  Network<Net> net;
  Trainer trainer{net, loss, SGD{.lr = 0.1}};
  for (const std::string& text : {error_of([&] { trainer.step(rows, labels); }),
                                  error_of([&] { fit(net, dataset(rows, labels), loss, SGD{.lr = 0.1}); }),
                                  error_of([&] { evaluate(net, dataset(rows, labels), loss); })})
    CHECK(has(text, "18446744073709551516"));
  CHECK(error_of([&] { trainer.step(rows, std::vector{0, -100}); }) == "(no error)");
}

TEST_CASE("a mean over rows and a sum in one update") {
  Network<Net> net;
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  const std::string other =
      " for the same update, and a gradient cannot be both the mean over rows and a sum; call update() or clear() "
      "between them, or give backward() a dy for all rows";
  trainer.accumulate(x, x);
  CHECK(error_of([&] { trainer.backward(x, x); }) == "backward() was called after accumulate()" + other);
  trainer.forward(x);
  CHECK(error_of([&] { trainer.backward(x); }) == "backward() was called after accumulate()" + other);
  trainer.accumulate(x, x);
  CHECK(trainer.update());
  trainer.backward(x, x);
  CHECK(error_of([&] { trainer.accumulate(x, x); }) == "accumulate() was called after backward()" + other);
  CHECK(error_of([&] { trainer.accumulate(dataset(x, x)); }) == "accumulate() was called after backward()" + other);
  trainer.backward(x, x);
  CHECK(trainer.update());
  trainer.backward(x, x);
  trainer.clear();
  trainer.accumulate(x, x);
  trainer.step(x, x);  // begins anew
  trainer.backward(x, x);
  CHECK(trainer.update());
}

TEST_CASE("a scale that was not made of a mean and a deviation") {
  const std::string text =
      "inputs were to be scaled by Normalize{.scale = nan, .shift = 0}, expected finite numbers, and a scale other "
      "than 0; Normalize::pixels and Normalize::values make it of a mean and a deviation";
  const std::vector<std::uint8_t> bytes{0, 255, 100, 200, 0, 1};
  const std::vector<int> labels{0, 1, 1};
  const auto data = dataset(TensorView<const std::uint8_t, Shape<2>>::from(bytes), labels, Normalize{NAN, 0});
  Network<Net> net;
  Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
  CHECK(error_of([&] { fit(net, data, CrossEntropyLoss{}, SGD{}); }) == text);
  CHECK(error_of([&] { evaluate(net, data, CrossEntropyLoss{}); }) == text);
  CHECK(error_of([&] { trainer.step(data); }) == text);
  CHECK(error_of([&] { score(net, data); }) == text);
  CHECK(error_of([&] { predict(net, data); }) == text);
  CHECK(error_of([&] { predict_with_dropout(net, data, 0); }) == text);
  CHECK(error_of([&] { net.function(Normalize{NAN, 0}); }) == text);
  CHECK(error_of([&] { named<"x">(x, Normalize{NAN, 0}); }) == text);
  CHECK(error_of([&] { BatcherOptions{.normalize = {NAN, 0}}.check(); }) == text);

  auto workspace = net.workspace(3);
  FixedWorkspace<Net, 3> fixed;
  const Unpacked<Net> weights(packed_bytes(net));
  const View<Net> view(weights);
  const auto integers = quantize(net, x);
  auto working = integers.workspace(3);
  for (const Normalize wrong : {Normalize{0, 1}, Normalize{INFINITY, 0}, Normalize{1, NAN}}) {
    const std::string words = "expected finite numbers, and a scale other than 0";
    CHECK(has(error_of([&] { predict(net, x, wrong); }), words));
    CHECK(has(last_words_of([&] { net.forward(x.view(), workspace, wrong); }), words));
    CHECK(has(last_words_of([&] { view.forward(x.view(), fixed, wrong); }), words));
    CHECK(has(last_words_of([&] { integers.forward(x, working, wrong); }), words));
  }
  CHECK(net.forward(x.view(), workspace, Normalize{-1, 0}).rows == 3);
}
