// SPDX-License-Identifier: MIT
// labels: large
// A gradient that the caller supplies: a Trainer without a loss, and backward through a batch that went forward before.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/allocations.hpp"
#include "support/check_refused.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Masked
    : Sequential<Input<1, 6, 6>, Conv2d<4, 3>, ReLU, Flatten, Linear<8>, Dropout<0.5>, ReLU, Linear<3>, LogSoftmax> {};
struct Layered : Sequential<Input<5>, Linear<7>, Tanh, Dropout<0.3>, Linear<3>> {};
struct Pooled : Sequential<Input<1, 12, 12>, Conv2d<6, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Flatten, Linear<3>> {};
struct Normalized : Sequential<Input<2, 5, 5>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, Conv2d<4, 2>, BatchNorm2d<>, Tanh,
                               Flatten, Linear<3>> {};
struct NormalizedFeatures : Sequential<Input<5>, Linear<7>, BatchNorm1d<>, ReLU, Linear<3>> {};

struct Trained {
  std::vector<double> weights, outputs, input_gradient, statistics;
};
/// Three updates, each by two batches; `kept`: by forward(x) and backward(dy).
template <class Model, class Device>
Trained train(const Device& device, bool kept) {
  Network<Model, Device, Float64> net(device, {.seed = 3});
  Trainer trainer{net, SGD{.lr = 0.1, .momentum = 0.9}};
  Trained all;
  const auto x = inputs<typename Model::InputRow>(45);
  const auto dy = inputs<typename Model::OutputRow>(45, 0.7);
  Tensor<double, typename Model::InputRow> dx;
  for (int step = 0; step < 3; ++step) {
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 26}, {26, 19}}) {
      const auto rows = x.view().slice(first, count);
      const auto gradients = dy.view().slice(first, count);
      if (!kept) {
        trainer.backward(rows, gradients, dx);
      } else {
        const auto& y = trainer.forward(rows);
        REQUIRE(y.rows() == count);
        all.outputs.insert(all.outputs.end(), y.values().begin(), y.values().end());
        if (first == 0) {
          trainer.backward(gradients);
          continue;
        }
        trainer.backward(gradients, &dx);
      }
      if (first != 0) all.input_gradient.insert(all.input_gradient.end(), dx.values().begin(), dx.values().end());
    }
    REQUIRE(trainer.update());
  }
  all.weights = weights(net);
  for (const auto& b : net.buffers()) all.statistics.insert(all.statistics.end(), b.value.begin(), b.value.end());
  return all;
}

/// y = 2 x, which counts how often it is asked.
struct CountedFunction {
  static constexpr const char* name = "Counted";
  static constexpr bool backward_reads_output = false;
  static inline std::atomic<int> forwards = 0, backwards = 0;
  static double forward(double x) {
    ++forwards;
    return 2 * x;
  }
  static double backward(double, double dy) {
    ++backwards;
    return 2 * dy;
  }
};
struct Counted : Sequential<Input<3>, Linear<4>, Activation<CountedFunction>, Linear<2>> {};

struct Line : Sequential<Input<2>, Linear<2>> {};

}  // namespace

TEST_CASE_TEMPLATE("forward(x) and backward(dy) are backward(x, dy), masks and statistics of batches included", Model,
                   Masked, Layered, Pooled, Normalized, NormalizedFeatures) {
  const Trained want = train<Model>(Reference{}, false);
  const auto check = [&](const Trained& got) {
    CHECK(norm_error(got.weights, want.weights) < 1e-11);
    CHECK(norm_error(got.input_gradient, want.input_gradient) < 1e-11);
    CHECK(norm_error(got.statistics, want.statistics) < 1e-11);
  };
  const Trained reference = train<Model>(Reference{}, true), host = train<Model>(Host{}, true);
  check(reference);
  check(host);
  check(train<Model>(Host{}, false));
  CHECK(norm_error(host.outputs, reference.outputs) < 1e-11);
  const Trained threads = train<Model>(Host{.threads = 3}, true);
  CHECK(threads.weights == host.weights);
  CHECK(threads.input_gradient == host.input_gradient);
}

TEST_CASE("backward(dy) does not go forward again, and without dropout forward(x) is what predict says") {
  const auto x = inputs<Counted::InputRow>(20);
  const auto dy = inputs<Counted::OutputRow>(20, 0.3);
  Network<Counted> net;
  Trainer trainer{net, SGD{.lr = 0.1}};
  const Tensor<float, Shape<2>> want = predict(net, x);
  CountedFunction::forwards = CountedFunction::backwards = 0;
  const Tensor<float, Shape<2>> y = trainer.forward(x);
  CHECK(norm_error(y.values(), want.values()) < 1e-6);
  CHECK(CountedFunction::forwards > 0);
  CHECK(CountedFunction::backwards == 0);
  CountedFunction::forwards = 0;
  trainer.backward(dy);
  CHECK(CountedFunction::forwards == 0);
  CHECK(CountedFunction::backwards > 0);
}

TEST_CASE("forward and backward allocate nothing once a batch of that size has been seen") {
  const auto x = inputs<Masked::InputRow>(45);
  const auto dy = inputs<Masked::OutputRow>(45, 0.3);
  Network<Masked> net;
  Trainer trainer{net, SGD{.lr = 0.1}};
  const auto go = [&] {
    trainer.forward(x);
    trainer.backward(dy);
    trainer.update();
  };
  go();
  CHECK(counted::allocations_in(go) == 0);
}

TEST_CASE("a Trainer without a loss minimises whatever gives its dy") {
  Network<Line> net, other;
  const auto x = inputs<Line::InputRow>(9);
  const auto wanted = inputs<Line::OutputRow>(9, 0.7);
  Trainer by_hand{net, Adam{.lr = 0.1}};
  Trainer by_loss{other, MSELoss{}, Adam{.lr = 0.1}};
  Tensor<float, Line::OutputRow> dy(9);
  for (int step = 0; step < 5; ++step) {
    const auto& y = by_hand.forward(x);
    for (std::size_t i = 0; i < 18; ++i) dy.data()[i] = (y.data()[i] - wanted.data()[i]) / 9;  // the mean over 9 rows
    by_hand.backward(dy);
    CHECK(by_hand.update());
    by_loss.step(x, wanted);
  }
  CHECK(norm_error(weights(net), weights(other)) < 1e-5);

  OwningTrainer owning{Network<Line>{}, SGD{.lr = 0.5}};
  owning->forward(x);
  owning->backward(dy);
  CHECK(owning->update());
  CHECK(owning->steps() == 1);
}

TEST_CASE("backward(dy, dx) is refused where backward(dy, &dx) is meant and outputs have the shape of inputs") {
  Network<Line> net;
  Trainer trainer{net, SGD{.lr = 0.1}};
  const auto x = inputs<Line::InputRow>(9);
  const auto dy = inputs<Line::OutputRow>(9, 0.7);
  const auto before = weights(net);
  for (const std::size_t rows : {9u, 0u}) {
    Tensor<float, Line::InputRow> dx(rows);
    trainer.forward(x);
    check_refused([&] { trainer.backward(dy, dx); }, {"give a pointer, backward(dy, &dx)", "give to forward(x)"});
    trainer.backward(dy, &dx);  // the batch is still there
    CHECK(dx.rows() == 9);
    trainer.clear();
  }
  CHECK(weights(net) == before);
  // The same inputs again, or no batch that waits: that is backward(x, dy).
  trainer.forward(x);
  trainer.backward(x, dy);
  trainer.backward(dy, dy);
  CHECK(trainer.update());
}

TEST_CASE("backward without its forward is refused, and changes nothing") {
  Network<Line> net;
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  const auto x = inputs<Line::InputRow>(9);
  const auto dy = inputs<Line::OutputRow>(9, 0.7);
  Tensor<float, Line::InputRow> dx;
  const auto before = weights(net);
  const auto refuse = [&](auto... parts) {
    check_refused([&] { trainer.backward(dy); }, {parts...});
    check_refused([&] { trainer.backward(dy, &dx); }, {parts...});
    CHECK(dx.rows() == 0);
  };
  refuse("no batch to go back through", "call forward(x) before it");
  trainer.forward(x.view().slice(0, 5));
  refuse("given 9 rows after a forward of 5");
  check_refused([&] { trainer.forward(x.view().slice(0, 0)); }, {"batch of 0 rows"});
  CHECK(weights(net) == before);
  trainer.forward(x);
  trainer.backward(dy);
  refuse("no batch to go back through");  // once
  trainer.forward(x);
  CHECK(trainer.update());
  refuse("no step, update or other batch in between");
  trainer.forward(x);
  trainer.accumulate(x, dy);
  refuse("no step, update or other batch in between");
  trainer.forward(x);
  trainer.step(x, dy);
  refuse("no step, update or other batch in between");
  trainer.clear();
  trainer.forward(x);
  trainer.clear();  // of gradients alone: what went forward is still there
  trainer.backward(dy);
  CHECK(trainer.update());

  Network<NormalizedFeatures> normalized;
  Trainer of_one{normalized, SGD{.lr = 0.1}};
  check_refused([&] { of_one.forward(inputs<Shape<5>>(1)); }, {"a batch with 1 row to train on"});
}
