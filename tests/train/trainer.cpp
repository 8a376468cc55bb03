// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net
    : Sequential<Input<1, 6, 6>, Conv2d<4, 3>, ReLU, Flatten, Linear<8>, Dropout<0.5>, ReLU, Linear<3>, LogSoftmax> {};
struct NoMasks : Sequential<Input<5>, Linear<7>, Tanh, Linear<3>, LogSoftmax> {};
struct Line : Sequential<Input<2>, Linear<2>> {};

bool finite(const std::vector<float>& values) {
  for (const float v : values)
    if (!is_finite(v)) return false;
  return true;
}

constexpr float infinity = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("a step returns the mean loss before it and learns") {
  const auto x = inputs<NoMasks::InputRow>(20);
  const auto labels = labels_for(20, 3);
  Network<NoMasks> net;
  const auto data = dataset(x, labels);
  const double before = evaluate(net, data, NLLLoss{}).loss;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.5}};
  CHECK(static_cast<double>(trainer.step(x, labels)) == doctest::Approx(before).epsilon(1e-6));
  for (int i = 0; i < 200; ++i) trainer.step(data);
  CHECK(evaluate(net, data, NLLLoss{}).loss < 0.5 * before);
  CHECK(trainer.steps() == 201);
  CHECK(trainer.problem().empty());
  CHECK(&trainer.network() == &net);
}

TEST_CASE("micro-batches of any sizes are one batch") {
  const auto x = inputs<Net::InputRow>(20);
  const auto labels = labels_for(20, 3);
  const auto gradients = [&](std::initializer_list<std::size_t> sizes) {
    Network<Net, Host, Float64> net;
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.5}};
    std::vector<std::vector<double>> all;
    for (int step = 0; step < 2; ++step) {  // masks differ from step to step, not from batch to micro-batch
      std::size_t first = 0;
      for (const std::size_t size : sizes) {
        trainer.accumulate(x.view().slice(first, size), std::span(labels).subspan(first, size));
        first += size;
      }
      REQUIRE(first == 20);
      trainer.update();
    }
    for (auto& p : net.parameters()) all.emplace_back(p.gradient.begin(), p.gradient.end());
    for (auto& p : net.parameters()) all.emplace_back(p.value.begin(), p.value.end());
    return all;
  };
  const auto want = gradients({20});
  for (const auto& got : {gradients({10, 10}), gradients({1, 12, 7}), gradients({4, 4, 4, 4, 4})})
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(norm_error(got[i], want[i]) < 1e-12);
}

TEST_CASE("clear() drops what was accumulated; step() does too") {
  const auto x = inputs<Net::InputRow>(20);
  const auto labels = labels_for(20, 3);
  const auto after = [&](auto work) {
    Network<Net> net;
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
    work(trainer);
    return weights(net);
  };
  const auto want = after([&](auto& t) { t.step(x, labels); });
  CHECK(same(after([&](auto& t) {
               t.accumulate(x, labels);
               t.clear();
               t.step(x, labels);
             }),
             want));
  CHECK(same(after([&](auto& t) {
               t.accumulate(x, labels);
               t.step(x, labels);
             }),
             want));
  CHECK(same(after([&](auto& t) {
               t.accumulate(x, labels);
               t.update();
             }),
             want));
}

TEST_CASE("the gradient of the inputs, of the mean loss") {
  const auto x = inputs<NoMasks::InputRow>(7);
  const auto labels = labels_for(7, 3);
  Network<NoMasks, Host, Float64> net;
  Trainer trainer{net, NLLLoss{}, SGD{}};
  Tensor<double, NoMasks::InputRow> dx, numbers(std::vector<double>(x.values().begin(), x.values().end()));
  trainer.accumulate(numbers, labels, dx);
  REQUIRE(dx.rows() == 7);
  std::vector<double> numeric;
  for (double& v : numbers.values()) {
    const double at = v;
    v = at + 1e-6;
    const double above = evaluate(net, dataset(numbers, labels), NLLLoss{}).loss;
    v = at - 1e-6;
    const double below = evaluate(net, dataset(numbers, labels), NLLLoss{}).loss;
    v = at;
    numeric.push_back((above - below) / 2e-6);
  }
  CHECK(norm_error(dx.values(), numeric) < 1e-6);
}

TEST_CASE("backward from a gradient that the caller supplies is a step with a loss that has it") {
  const auto x = inputs<Line::InputRow>(9);
  const auto wanted = inputs<Line::OutputRow>(9, 0.7);
  const auto after = [&](bool by_hand) {
    Network<Line, Host, Float64> net;
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.3, .momentum = 0.9}};
    for (int i = 0; i < 3; ++i) {
      if (by_hand) {
        Tensor<double, Line::OutputRow> y = predict(net, dataset(x, wanted)), dy(9);
        for (std::size_t k = 0; k < 18; ++k)
          dy.data()[k] =
              (y.data()[k] - static_cast<double>(wanted.data()[k])) / 9;  // 2/n of the sum over n = 2 numbers
        trainer.backward(x, dy);
        CHECK(trainer.update());
      } else {
        trainer.step(x, wanted);
      }
    }
    return weights(net);
  };
  CHECK(norm_error(after(true), after(false)) < 1e-12);
}

TEST_CASE("batches that do not fit are refused, and change nothing") {
  Network<Net> net;
  const auto before = weights(net);
  Trainer trainer{net, NLLLoss{}, SGD{}};
  const auto x = inputs<Net::InputRow>(4);
  CHECK(has(error_of([&] { trainer.step(x, std::vector<int>{0, 1, 2}); }), "4 rows and 3 targets"));
  CHECK(has(error_of([&] { trainer.step(x, std::vector<int>{0, 1, 2, 3}); }),
            "row 3 of the labels is 3, expected 0 to 2"));
  CHECK(has(error_of([&] { trainer.step(x, std::vector<int>{0, -1, 2, 1}); }), "row 1 of the labels is -1"));
  CHECK(has(error_of([&] { trainer.step(inputs<Net::InputRow>(0), std::vector<int>{}); }), "a batch of 0 rows"));
  CHECK(has(error_of([&] { trainer.backward(x, Tensor<float, Shape<3>>(3)); }), "4 rows and 3 targets"));
  CHECK(has(error_of([&] { trainer.update(); }), "no gradient"));
  CHECK(same(weights(net), before));
  CHECK(trainer.step(x, std::vector<int>{0, 1, 2, 1}) > 0);  // and continues
}

TEST_CASE("options of optimizers that are invalid are refused") {
  Network<Line> net;
  CHECK(has(error_of([&] { Trainer(net, MSELoss{}, SGD{.lr = -1}); }), "SGD was given lr = -1, expected"));
  CHECK(has(error_of([&] { Trainer(net, MSELoss{}, SGD{.lr = std::nan("")}); }), "lr"));
  CHECK(has(error_of([&] { Trainer(net, MSELoss{}, SGD{.nesterov = true}); }), "nesterov"));
  CHECK(has(error_of([&] { Trainer(net, MSELoss{}, SGD{.momentum = 0.9, .dampening = 0.1, .nesterov = true}); }),
            "dampening"));
  CHECK(has(error_of([&] { Trainer(net, MSELoss{}, Adam{.beta2 = 1}); }), "beta2"));
}

TEST_CASE("a loss that is not finite: the update is skipped with a message, and training may continue") {
  for (const float bad : {not_a_number, infinity, -infinity}) {
    CAPTURE(bad);
    Network<Net> net;
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
    auto x = inputs<Net::InputRow>(4);
    const auto labels = labels_for(4, 3);
    trainer.step(x, labels);
    const auto before = weights(net);
    const float good = x.data()[40];
    x.data()[40] = bad;
    CHECK(!is_finite(trainer.step(x, labels)));
    CHECK(has(trainer.problem(), "the loss of step 1 is not finite"));
    CHECK(has(trainer.problem(), "not finite is 0 (Conv2d)"));
    CHECK(same(weights(net), before));
    CHECK(trainer.steps() == 1);
    x.data()[40] = good;
    CHECK(is_finite(trainer.step(x, labels)));
    CHECK(trainer.problem().empty());
    CHECK(!same(weights(net), before));
    CHECK(finite(weights(net)));
  }
}

TEST_CASE("a finite loss with a gradient that is not: the update is left out") {
  // dW = dy x overflows.
  Network<Line> net;
  const auto before = weights(net);
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  Tensor<float, Line::InputRow> x(1), dy(1);
  x.data()[0] = x.data()[1] = 3e38f;
  dy.data()[0] = dy.data()[1] = 1e10f;
  trainer.backward(x, dy);
  CHECK(!trainer.update());
  CHECK(has(trainer.problem(), "a gradient of step 0 is not finite"));
  CHECK(has(trainer.problem(), "not finite is 0 (Linear)"));
  CHECK(same(weights(net), before));
  CHECK(trainer.steps() == 0);
}

TEST_CASE("a problem in one micro-batch leaves out the update of all") {
  Network<Net> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  auto bad = inputs<Net::InputRow>(4);
  const auto good = inputs<Net::InputRow>(4);
  const auto labels = labels_for(4, 3);
  bad.data()[0] = not_a_number;
  const auto before = weights(net);
  trainer.accumulate(bad, labels);
  trainer.accumulate(good, labels);
  CHECK(!trainer.update());
  CHECK(same(weights(net), before));
  trainer.accumulate(good, labels);
  CHECK(trainer.update());
}

TEST_CASE("masks are new in every step, and the same for the same seed") {
  const auto x = inputs<Net::InputRow>(16);
  const auto labels = labels_for(16, 3);
  const auto losses = [&](std::uint64_t seed) {
    Network<Net> net;
    Network<Net> seeded{{.seed = seed}};
    seeded = net;
    // The same weights, masks by the seed.
    std::copy_n(net.data(), Network<Net>::Ops::arena_size, seeded.data());
    Trainer trainer{seeded, NLLLoss{}, SGD{.lr = 0}};
    return std::vector<float>{trainer.step(x, labels), trainer.step(x, labels), trainer.step(x, labels)};
  };
  const auto a = losses(1);
  CHECK(a[0] != a[1]);
  CHECK(a[1] != a[2]);
  CHECK(same(losses(1), a));
}

TEST_CASE("rates by parameter: a factor, and freezing") {
  const auto x = inputs<Net::InputRow>(8);
  const auto labels = labels_for(8, 3);
  Network<Net> plain, frozen, slow;
  Trainer{plain, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.5}}.step(x, labels);
  Trainer a{frozen, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.5}}, b{slow, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.5}};
  const auto initial = weights(frozen);
  a.freeze("0.weight");
  b.set_rate_factor("0.weight", 0.5);
  a.step(x, labels);
  b.step(x, labels);
  const auto end = [](auto& net, const char* name) {
    auto p = net.parameter(name);
    return std::vector<float>(p.begin(), p.end());
  };
  const auto start = std::vector<float>(initial.begin(), initial.begin() + 36);
  CHECK(same(end(frozen, "0.weight"), start));
  for (const char* other : {"0.bias", "3.weight", "3.bias", "6.weight", "6.bias"}) {
    CHECK(same(end(frozen, other), end(plain, other)));
    CHECK(same(end(slow, other), end(plain, other)));
  }
  std::vector<double> half, whole;
  for (std::size_t i = 0; i < 36; ++i) {
    half.push_back(2 * (static_cast<double>(end(slow, "0.weight")[i]) - static_cast<double>(start[i])));
    whole.push_back(static_cast<double>(end(plain, "0.weight")[i]) - static_cast<double>(start[i]));
  }
  CHECK(norm_error(half, whole) < 1e-4);
  CHECK(has(error_of([&] { a.freeze("9.weight"); }), "9.weight"));
  CHECK(error_of([&] { a.set_rate_factor("0.bias", -0.5); }) ==
        "the factor -0.5 on the rate of \"0.bias\" was given; give 0 or more");
}

TEST_CASE("rates by layer, by a place inside of one, and by the names that parameters() gives") {
  struct Nested : Sequential<Input<4>, Linear<4>, Residual<Path<Linear<4>, Tanh, Linear<4>>>, Linear<3>> {};
  const auto x = inputs<Shape<4>>(8);
  const auto labels = labels_for(8, 3);
  const auto moved = [&](auto freeze) {
    Network<Nested> net;
    Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
    const Network<Nested> before = net;
    freeze(trainer, net);
    trainer.step(x, labels);
    std::string names;
    for (const auto& p : net.parameters())
      if (!std::ranges::equal(p.value, before.parameter(p.name))) names += std::string(p.name) + " ";
    return names;
  };
  const std::string all =
      "0.weight 0.bias 1.path.0.weight 1.path.0.bias 1.path.2.weight 1.path.2.bias 2.weight 2.bias ";
  CHECK(moved([](auto&, auto&) {}) == all);
  CHECK(moved([](auto& t, auto&) { t.freeze(1); }) == "0.weight 0.bias 2.weight 2.bias ");
  CHECK(moved([](auto& t, auto&) { t.freeze("1"); }) == "0.weight 0.bias 2.weight 2.bias ");
  CHECK(moved([](auto& t, auto&) { t.freeze(std::string("1.path.2")); }) ==
        "0.weight 0.bias 1.path.0.weight 1.path.0.bias 2.weight 2.bias ");
  CHECK(moved([](auto& t, auto& net) {
          for (const auto& p : net.parameters()) t.freeze(p.name);
        }).empty());
  CHECK(moved([](auto& t, auto&) {
          t.freeze(0);
          t.set_rate_factor(0, 1);
        }) == all);
  Network<Nested> net;
  Trainer trainer{net, SGD{}};
  CHECK(error_of([&] { trainer.freeze("1.pat"); }) ==
        "there is no parameter \"1.pat\"; this network has 0.weight, 0.bias, 1.path.0.weight, 1.path.0.bias, "
        "1.path.2.weight, 1.path.2.bias, 2.weight, 2.bias");
  CHECK(has(error_of([&] { trainer.freeze(3); }), "there is no parameter \"3\""));
  CHECK(has(error_of([&] { trainer.freeze(""); }), "there is no parameter \"\""));
}

TEST_CASE("a network names its parameters by the same places: a name, a layer, a layer inside another one") {
  struct Nested : Sequential<Input<3>, Linear<4>, Residual<Path<Linear<4>, Tanh, Linear<4>>>, PReLU<>, Linear<2>> {};
  Network<Nested> net;
  const auto& unchanged = net;
  const auto names = [](const auto& parameters) {
    std::string all;
    for (const auto& p : parameters) all += std::string(p.name) + " ";
    return all;
  };
  CHECK(names(net.parameters(0)) == "0.weight 0.bias ");
  CHECK(names(unchanged.parameters("1.path.2")) == "1.path.2.weight 1.path.2.bias ");
  CHECK(names(net.parameters(std::string("1"))) == "1.path.0.weight 1.path.0.bias 1.path.2.weight 1.path.2.bias ");
  CHECK(names(net.parameters("3.bias")) == "3.bias ");
  CHECK(net.parameters(3)[1].value.data() == net.parameter("3.bias").data());
  CHECK(net.parameter(2).data() == net.parameter("2.weight").data());  // the only one
  CHECK(unchanged.parameter("2").data() == net.parameter("2.weight").data());
  CHECK(error_of([&] { net.parameter(1); }) ==
        "there are 4 parameters in \"1\"; ask for one of them, 1.path.0.weight, 1.path.0.bias, 1.path.2.weight, "
        "1.path.2.bias, or for all by parameters(\"1\")");
  CHECK(has(error_of([&] { net.parameters(4); }), "there is no parameter \"4\"; this network has "));
}

TEST_CASE("of a network with many parameters the error names those that are most like what was asked for") {
  struct Deep : Sequential<Input<2>, Linear<2>, Linear<2>, Linear<2>, Linear<2>, Linear<2>, Linear<2>, Linear<2>> {};
  Network<Deep> net;
  const std::string text = error_of([&] { net.parameter("5.wieght"); });
  CHECK(has(text, "there is no parameter \"5.wieght\"; this network has 5.weight, 0.weight, 1.weight, "));
  CHECK(has(text, ", and 6 less similar"));
}

TEST_CASE("a rate that is infinite in the precision of the network is not applied") {
  struct Small : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};
  sinter::Network<Small> net{{.seed = 1}};
  sinter::Trainer trainer{net, sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 1e300}};
  const sinter::Tensor<float, sinter::Shape<2>> x(4);
  const std::vector<char> labels{0, 1, 0, 1};  // char is an integer type too
  trainer.step(x, labels);
  CHECK(trainer.steps() == 0);
  CHECK(trainer.problem().find("learning rate") != std::string::npos);
  for (const float value : net.parameter("0.weight")) CHECK(std::isfinite(value));
}
TEST_CASE("the gradient of the input is of the mean over its own batch, also in a second micro-batch") {
  struct Small : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};
  sinter::Network<Small> net{{.seed = 1}};
  sinter::Trainer trainer{net, sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.1}};
  sinter::Tensor<float, sinter::Shape<2>> x(3), once, twice;
  for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = static_cast<float>(i);
  const std::vector<int> labels{0, 1, 1};
  trainer.accumulate(x, labels, once);
  trainer.accumulate(x, labels, twice);
  for (std::size_t i = 0; i < x.values().size(); ++i) CHECK(twice.data()[i] == doctest::Approx(once.data()[i]));
}

namespace {
struct Two : Sequential<Input<2>, Linear<20>, Tanh, Linear<2>> {};

/// That a step with an optimizer is left out, momentum and all, and the next one is made.
template <class Device, class Optimizer, class Change>
void check_left_out(Optimizer optimizer, Change&& change, const std::string& why) {
  const auto points = disc(20, 1);
  Network<Two, Device> net, sound;
  Trainer trainer(net, CrossEntropyLoss{}, optimizer), same(sound, CrossEntropyLoss{}, optimizer);
  trainer.step(points), same.step(points);
  change(trainer.optimizer());
  trainer.step(points);
  CHECK(has(trainer.problem(), why));
  CHECK(std::equal(net.data(), net.data() + Program<Two>::arena_size, sound.data()));
  trainer.optimizer() = optimizer;
  trainer.step(points), same.step(points);
  CHECK(trainer.problem().empty());
  CHECK(std::equal(net.data(), net.data() + Program<Two>::arena_size, sound.data()));
}
}  // namespace

TEST_CASE("an update that would make a weight infinite is left out, with all that the optimizer remembers") {
  const std::string why =
      "the update of step 1 would make a weight, or a number that the optimizer keeps, that is not finite";
  const auto rate = [](auto& optimizer) { optimizer.lr = 3e38; };
  const auto decay = [](auto& optimizer) { optimizer.weight_decay = 1e300; };
  check_left_out<Host>(SGD{.lr = 0.1, .momentum = 0.9}, [&](SGD& o) { rate(o), o.weight_decay = 100; }, why);
  check_left_out<Host>(SGD{.lr = 0.1, .momentum = 0.9}, decay, why);
  check_left_out<Host>(Adam{.lr = 0.1}, [&](Adam& o) { rate(o), o.beta1 = 0; }, why);
  check_left_out<Reference>(SGD{.lr = 0.1, .momentum = 0.9}, decay, why);
}

namespace {
struct OneNumber : Sequential<Input<2>, Linear<1>> {};

/// That gradients whose squares are not finite are left out, after which the optimizer goes on as if they had not been.
template <class Device>
void check_large_gradients(const auto& optimizer) {
  Network<OneNumber, Device> net, sound;
  Trainer trainer(net, optimizer), same(sound, optimizer);
  const Tensor<float, Shape<2>> x{{1, 2}};
  const auto step = [&](auto& with, float dy) {
    with.backward(x, Tensor<float, Shape<1>>{dy});
    return with.update();
  };
  CHECK(step(trainer, 1));
  CHECK_FALSE(step(trainer, 1e25f));
  CHECK(has(trainer.problem(), "the update of step 1 would make a weight, or a number that the optimizer keeps, that"));
  CHECK(trainer.steps() == 1);
  CHECK(step(trainer, 1));
  CHECK(step(same, 1));
  CHECK(step(same, 1));
  CHECK(std::equal(net.data(), net.data() + Program<OneNumber>::arena_size, sound.data()));
  CHECK(trainer.snapshot().state == same.snapshot().state);
}
}  // namespace

TEST_CASE(
    "so is one that would make a number infinite that the optimizer keeps, which would hold the weight for good") {
  check_large_gradients<Host>(Adam{.lr = 0.1});
  check_large_gradients<Host>(AdamW{.lr = 0.1});
  check_large_gradients<Host>(RMSprop{.lr = 0.1});
  check_large_gradients<Host>(Adagrad{.lr = 0.1});
  check_large_gradients<Reference>(Adam{.lr = 0.1});
}

TEST_CASE("the optimizer's state of a parameter, in place") {
  const auto x = inputs<Line::InputRow>(4);
  const auto labels = labels_for(4, 2);
  Network<Line> net;
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  trainer.step(x, labels);
  const auto gradient = net.parameters()[1].gradient;
  const auto m = trainer.optimizer_state("0.bias"), v = trainer.optimizer_state("0.bias", 1);
  REQUIRE(m.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(m[i] == doctest::Approx(0.1f * gradient[i]));
    CHECK(v[i] == doctest::Approx(0.001f * gradient[i] * gradient[i]));
  }
  m[0] = 1000;  // as the next step sees it
  const float before = net.parameter("0.bias")[0];
  trainer.step(x, labels);
  CHECK(net.parameter("0.bias")[0] < before - 1);
  CHECK(error_of([&] { trainer.optimizer_state("0.bias", 2); }) ==
        "the state 2 of an optimizer with 2 was asked for; they count from 0");
  CHECK(error_of([&] { trainer.optimizer_state("1.bias"); }).find("1.bias") < 100);
  Trainer plain{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  CHECK(plain.optimizer_state("0.bias").empty());
  v[1] = -1;
  CHECK(
      error_of([&] { trainer.step(x, labels); }) ==
      "the state 1 of the optimizer has -1 for 0.bias, expected sums of squares, at least 0; correct what was written "
      "to it, or continue from an earlier snapshot or checkpoint");
  auto snapshot = trainer.snapshot();
  v[1] = 0;
  trainer.step(x, labels);
  CHECK(error_of([&] { trainer.restore(snapshot); }).find("has -1 for 0.bias") != std::string::npos);
  CHECK(trainer.steps() == 3);
  CHECK(error_of([&] { Trainer(net, CrossEntropyLoss{}, Adam{.epsilon = 1e39}); }) ==
        "Adam was given epsilon = 1e+39, which is infinite in the precision of the network; correct that option");
  CHECK_NOTHROW(Network<Line, Host, Float64>());
}

TEST_CASE("options are checked when they have changed") {
  const auto points = disc(20, 1);
  Network<Two> net;
  Trainer trainer(net, CrossEntropyLoss{}, SGD{.lr = 0.1});
  trainer.optimizer().lr = -0.1;
  CHECK(has(error_of([&] { trainer.step(points); }), "SGD was given lr = -0.1"));
  trainer.optimizer() = {.lr = 0.1, .weight_decay = HUGE_VAL};
  CHECK(has(error_of([&] { trainer.step(points); }), "SGD was given weight_decay = inf"));
  trainer.optimizer() = {.lr = 1e300};
  trainer.step(points);
  CHECK(has(trainer.problem(), "the learning rate of step"));
  CHECK(has(trainer.problem(), "1e+300"));
  CHECK(has(trainer.problem(), "set optimizer().lr to a smaller one"));
  trainer.optimizer() = {.lr = std::numeric_limits<double>::quiet_NaN()};
  trainer.step(points);
  CHECK(has(trainer.problem(), "set optimizer().lr to a finite number of at least 0"));
  trainer.optimizer() = {.lr = 0.1, .momentum = 1 - 1e-9};
  CHECK(has(error_of([&] { trainer.step(points); }), "which is 1 in the precision of the network"));
}

TEST_CASE("an option below 1 that is 1 in the precision of the network is refused") {
  Network<Two> net;
  Network<Two, Host, Float64> wide;
  const auto refused = [&](const auto& optimizer) {
    CHECK(error_of([&] { Trainer(wide, CrossEntropyLoss{}, optimizer); }) == "(no error)");
    return error_of([&] { Trainer(net, CrossEntropyLoss{}, optimizer); });
  };
  CHECK(refused(SGD{.lr = 0.1, .momentum = 1 - 1e-9}) ==
        "SGD was given momentum = 0.999999999, which is 1 in the precision of the network, expected less than 1; "
        "correct that option");
  CHECK(has(refused(Adam{.beta1 = 1 - 1e-9}), "Adam was given beta1 = 0.999999999"));
  CHECK(has(refused(AdamW{.beta2 = 1 - 1e-9}), "AdamW was given beta2 = 0.999999999"));
  CHECK(has(refused(RMSprop{.alpha = 1 - 1e-9}), "RMSprop was given alpha = 0.999999999"));
  CHECK(refused(SGD{.lr = 1 - 1e-9, .momentum = 1 - 1e-7}) == "(no error)");
}

namespace {
/// Momentum that is assigned after the first step, compared with SGD outside of a network, which has its state from the
/// beginning.
template <class Device>
void check_late_momentum() {
  const auto points = disc(20, 1);
  Network<Two, Device> net;
  Trainer trainer(net, CrossEntropyLoss{}, SGD{.lr = 0.1});
  std::vector<float> expected = weights(net), state(expected.size());
  const auto check = [](const std::vector<float>& got, const std::vector<float>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      CHECK(static_cast<double>(got[i]) == doctest::Approx(static_cast<double>(wanted[i])).epsilon(1e-5));
  };
  for (long step = 0; step < 4; ++step) {
    if (step == 1) trainer.optimizer().momentum = 0.9;
    trainer.step(points);
    const std::vector<float> gradient(net.gradient().data(), net.gradient().data() + expected.size());
    trainer.optimizer().step(expected, gradient, state, step);
    check(weights(net), expected);
    check(trainer.snapshot().state, state);
  }
  const auto snapshot = trainer.snapshot();
  trainer.optimizer().momentum = 0;
  trainer.step(points);
  trainer.restore(snapshot);
  CHECK(trainer.snapshot().state == snapshot.state);
}
}  // namespace

TEST_CASE("momentum that is assigned later begins with what SGD remembers from the beginning: nothing") {
  check_late_momentum<Host>();
  check_late_momentum<Reference>();
}
