// SPDX-License-Identifier: MIT
#include "sinter/kernels/reference/engine.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "support/gradient_check.hpp"
#include "support/safetensors.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

/// y = x^3, from the input.
struct Cube {
  static constexpr bool backward_reads_output = false;
  template <class V>
  SINTER_FN static V forward(V x) {
    return x * x * x;
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return V(3) * x * x * dy;
  }
};

/// y = x^2 / (1 + |x|) as a user might write it, in double only.
struct OfUser {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x < 0 ? x * x / (1 - x) : x * x / (1 + x); }
  static double backward(double x, double dy) {
    const double a = x < 0 ? -x : x;
    return dy * (x < 0 ? -1 : 1) * a * (2 + a) / ((1 + a) * (1 + a));
  }
};

/// LeNet, smaller: every kind of op.
using EveryOp =
    Sequential<Input<2, 13, 12>, Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Groups<2>>, Dropout2d<0.5>,
               AvgPool2d<2>, Tanh, Flatten, Linear<7>, Sigmoid, Dropout<0.3>, Linear<5>, LogSoftmax>;
struct W1 : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>,
                       ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};

/// Central differences at batch 1 and 7.
template <class Model, class Loss>
void check_gradients(std::size_t most = 100) {
  ReferenceEngine<Model, double> engine;
  for (const std::size_t rows : {1, 7}) {
    const auto problem = smooth_problem<Model>(rows, 1);
    const WorstError worst = gradient_check(engine, problem, Loss{}, 1.0 / static_cast<double>(rows), most);
    CAPTURE(rows);
    CAPTURE(worst.tensor);
    CHECK(worst.error < 1e-6);
  }
}
template <class Shape, class... Layers>
void check_layers() {
  check_gradients<Sequential<Shape, Layers...>, GivenGradient>();
}

using Numbers = std::vector<double>;
struct Given {
  Numbers numbers;  // [rows][output]
  std::size_t width;
  const double* row(std::size_t i) const { return numbers.data() + i * width; }
};

/// A layer with parameters given without gaps: its outputs and gradients for one row and a given dy.
struct OneRow {
  Numbers y, dx;
  std::vector<Numbers> dparameters;
};
template <class Model>
OneRow run(const std::vector<Numbers>& parameters, const Numbers& x, const Numbers& dy) {
  using Ops = Program<Model>;
  ReferenceEngine<Model, double> engine;
  Numbers arena(static_cast<std::size_t>(Ops::arena_size), 1e9), gradient(arena.size());
  REQUIRE(parameters.size() == Ops::parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    REQUIRE(parameters[i].size() == static_cast<std::size_t>(Ops::parameters[i].size));
    std::copy(parameters[i].begin(), parameters[i].end(), arena.begin() + Ops::parameters[i].offset);
  }
  OneRow result{Numbers(static_cast<std::size_t>(Ops::output.size())), Numbers(x.size()), {}};
  REQUIRE(x.size() == static_cast<std::size_t>(Ops::input.size()));
  REQUIRE(dy.size() == result.y.size());

  const std::uint32_t sample = 0;
  engine.forward(arena.data(), x.data(), 1, result.y.data());
  engine.accumulate(arena.data(), x.data(), 1, Given{dy, dy.size()}, &sample, MaskKey{}, 1.0, GivenGradient{},
                    gradient.data(), result.dx.data());
  for (const auto& p : Ops::parameters) result.dparameters.push_back(tensor_of(p, gradient));
  return result;
}

}  // namespace

// -- by hand ---------------------------------------------------------------------------------------------------------

TEST_CASE("a matrix product by hand") {
  // W = [1 2; 3 4; 5 6], b = [10 20 30]
  const auto r = run<Sequential<Input<2>, Linear<3>>>({{1, 2, 3, 4, 5, 6}, {10, 20, 30}}, {7, -8}, {1, 10, 100});
  CHECK(r.y == Numbers{10 + 7 - 16, 20 + 21 - 32, 30 + 35 - 48});
  CHECK(r.dx == Numbers{1 + 30 + 500, 2 + 40 + 600});
  CHECK(r.dparameters[0] == Numbers{7, -8, 70, -80, 700, -800});
  CHECK(r.dparameters[1] == Numbers{1, 10, 100});
}

TEST_CASE("a convolution by hand") {
  const Numbers x{1, 2, 3,  //
                  4, 5, 6};
  SUBCASE("plain, not square") {
    const auto r = run<Sequential<Input<1, 2, 3>, Conv2d<2, Kernel<1, 2>>>>({{1, 10, 0, -1}, {0.5, 0}}, x,
                                                                            {1, 2, 3, 4, 0, 0, 0, 1});
    CHECK(r.y == Numbers{21.5, 32.5, 54.5, 65.5, -2, -3, -5, -6});
    CHECK(r.dx == Numbers{1, 12, 20, 3, 34, 40 - 1});
    CHECK(r.dparameters[0] == Numbers{1 + 4 + 12 + 20, 2 + 6 + 15 + 24, 5, 6});
    CHECK(r.dparameters[1] == Numbers{10, 1});
  }
  SUBCASE("stride, padding and dilation, different in height and width") {
    // rows -1 and 2 are padding: only the middle tap of 3 sees row 0 or 1; columns 0 and 2 at x = 0, dilated by 2
    const auto r =
        run<Sequential<Input<1, 2, 3>, Conv2d<1, Kernel<3, 2>, Stride<1, 2>, Padding<1, 0>, Dilation<1, 2>, NoBias>>>(
            {{1, 2, 4, 8, 16, 32}}, x, {1, 10});
    CHECK(r.y == Numbers{4 * 1 + 8 * 3 + 16 * 4 + 32 * 6, 1 * 1 + 2 * 3 + 4 * 4 + 8 * 6});
    CHECK(r.dx == Numbers{4 + 10, 0, 8 + 20, 16 + 40, 0, 32 + 80});
    CHECK(r.dparameters[0] == Numbers{10, 30, 1 + 40, 3 + 60, 4, 6});
  }
  SUBCASE("groups") {
    const auto r =
        run<Sequential<Input<4, 1, 1>, Conv2d<2, 1, Groups<2>>>>({{1, 2, 3, 4}, {0, 100}}, {5, 6, 7, 8}, {1, 10});
    CHECK(r.y == Numbers{5 + 12, 100 + 21 + 32});
    CHECK(r.dx == Numbers{1, 2, 30, 40});
    CHECK(r.dparameters[0] == Numbers{5, 6, 70, 80});
    CHECK(r.dparameters[1] == Numbers{1, 10});
  }
}

TEST_CASE("pools by hand") {
  const Numbers x{-1, -2, -3, -4,  //
                  -5, -6, -7, -8,  //
                  -9, -1, -1, -2};
  SUBCASE("largest; the last row and the first of two equal ones") {
    const auto r = run<Sequential<Input<1, 3, 4>, MaxPool2d<2, Stride<1, 2>>>>({}, x, {1, 2, 3, 4});
    CHECK(r.y == Numbers{-1, -3, -1, -1});
    CHECK(r.dx == Numbers{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0});
  }
  SUBCASE("overlapping windows that do not fill the image, first of the equal") {
    const auto r = run<Sequential<Input<1, 3, 4>, MaxPool2d<3, Stride<1>>>>({}, x, {1, 2});
    CHECK(r.y == Numbers{-1, -1});
    CHECK(r.dx == Numbers{1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0});
  }
  SUBCASE("padding is never the largest") {
    const auto r = run<Sequential<Input<1, 3, 4>, MaxPool2d<2, Padding<1>>>>({}, x, {1, 2, 3, 4, 5, 6});
    CHECK(r.y == Numbers{-1, -2, -4, -5, -1, -2});
    CHECK(r.dx == Numbers{1, 2, 0, 3, 4, 0, 0, 0, 0, 5, 0, 6});
  }
  SUBCASE("mean, over the padding too") {
    const auto r = run<Sequential<Input<1, 3, 4>, AvgPool2d<2, Padding<1>>>>({}, x, {4, 8, 12, 16, 20, 24});
    CHECK(r.y == Numbers{-.25, -1.25, -1, -3.5, -3.75, -2.5});
    CHECK(r.dx == Numbers{1, 2, 2, 3, 4, 5, 5, 6, 4, 5, 5, 6});
  }
  SUBCASE("channels stay apart") {
    const auto r = run<Sequential<Input<2, 1, 2>, AvgPool2d<Kernel<1, 2>>>>({}, {1, 3, 10, 30}, {2, 20});
    CHECK(r.y == Numbers{2, 20});
    CHECK(r.dx == Numbers{1, 1, 10, 10});
  }
}

TEST_CASE("a largest element that is no number is not lost") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Numbers& x : {Numbers{nan, 1, 2, 3}, {1, nan, 2, 3}, {1, 2, 3, nan}}) {
    const auto r = run<Sequential<Input<1, 2, 2>, MaxPool2d<2>>>({}, x, {1});
    CHECK(r.y[0] != r.y[0]);
  }
}

TEST_CASE("maps by hand, from the output and from the input") {
  CHECK(run<Sequential<Input<3>, ReLU>>({}, {-2, 0, 2}, {1, 2, 3}).y == Numbers{0, 0, 2});
  CHECK(run<Sequential<Input<3>, ReLU>>({}, {-2, 0, 2}, {1, 2, 3}).dx == Numbers{0, 0, 3});
  CHECK(run<Sequential<Input<2>, Activation<Cube>>>({}, {-2, 3}, {1, 10}).y == Numbers{-8, 27});
  CHECK(run<Sequential<Input<2>, Activation<Cube>>>({}, {-2, 3}, {1, 10}).dx == Numbers{12, 270});
}

TEST_CASE("a network without a layer returns its input") {
  const auto r = run<Sequential<Input<3>>>({}, {1, 2, 3}, {4, 5, 6});
  CHECK(r.y == Numbers{1, 2, 3});
  CHECK(r.dx == Numbers{4, 5, 6});
}

// -- masks -----------------------------------------------------------------------------------------------------------

TEST_CASE("masks: identity in inference, the same decisions forward and backward in training") {
  using Model = Sequential<Input<2, 3, 5>, Dropout<0.5>>;
  using PerChannel = Sequential<Input<40, 2, 3>, Dropout2d<0.75>>;
  const auto masked = [](auto& engine, std::size_t size, MaskKey key, std::uint32_t sample) {
    const Numbers ones(size, 1);
    Numbers dx(size);
    engine.accumulate(nullptr, ones.data(), 1, Given{ones, size}, &sample, key, 1.0, GivenGradient{},
                      static_cast<double*>(nullptr), dx.data());
    return dx;
  };
  ReferenceEngine<Model, double> engine;
  const Numbers m = masked(engine, 30, {1, 2}, 3);
  CHECK(Numbers(engine.value(1).begin(), engine.value(1).end()) == m);
  CHECK(m == masked(engine, 30, {1, 2}, 3));
  CHECK(m != masked(engine, 30, {2, 2}, 3));
  CHECK(m != masked(engine, 30, {1, 3}, 3));
  CHECK(m != masked(engine, 30, {1, 2}, 4));
  CHECK(m != masked(engine, 30, {1 + (std::uint64_t{1} << 32), 2}, 3));
  CHECK(std::count(m.begin(), m.end(), 0.0) + std::count(m.begin(), m.end(), 2.0) == 30);
  CHECK(std::count(m.begin(), m.end(), 0.0) > 5);
  CHECK(std::count(m.begin(), m.end(), 2.0) > 5);

  ReferenceEngine<PerChannel, double> channels;
  const Numbers c = masked(channels, 240, {1, 2}, 3);
  CHECK(std::count(c.begin(), c.end(), 4.0) > 6);
  CHECK(std::count(c.begin(), c.end(), 0.0) + std::count(c.begin(), c.end(), 4.0) == 240);
  for (std::size_t i = 0; i < 240; ++i) CHECK(c[i] == c[i / 6 * 6]);

  const auto problem = Problem<Model>(4, 1);
  Numbers y(problem.x.size());
  engine.forward(nullptr, problem.x.data(), 4, y.data());
  CHECK(y == problem.x);
}

TEST_CASE("each layer draws masks of its own") {
  using Model = Sequential<Input<64>, Dropout<0.5>, Dropout<0.5>>;
  ReferenceEngine<Model, double> engine;
  const Numbers ones(64, 1);
  const std::uint32_t sample = 5;
  engine.accumulate(nullptr, ones.data(), 1, Given{ones, 64}, &sample, MaskKey{}, 1.0, GivenGradient{},
                    static_cast<double*>(nullptr), static_cast<double*>(nullptr));
  const auto both = engine.value(2);
  CHECK(std::count(both.begin(), both.end(), 4.0) > 5);  // of two equal masks half were 4
  CHECK(std::count(both.begin(), both.end(), 4.0) < 27);
}

TEST_CASE("masks are those of the fixtures") {
  const Safetensors masks(std::string(SINTER_FIXTURES) + "/w1_masks.safetensors");
  for (const auto& [name, tensor] : masks.tensors()) {
    const int layer = std::stoi(name.substr(2));
    const std::uint32_t step = name[0] == 'a' ? 0 : 1;
    for (const Op& op : Program<W1>::ops) {
      if (op.layer != layer) continue;
      REQUIRE(op.kind == OpKind::mask);
      for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
        const auto m = reference::draw_masks<float>(op, MaskKey{1, step}, static_cast<std::uint32_t>(row));
        for (std::size_t i = 0; i < m.size(); ++i)
          CHECK(m[i] == tensor.values[row * tensor.shape[1] + i / (m.size() / tensor.shape[1])]);
      }
    }
  }
}

// -- central differences ---------------------------------------------------------------------------------------------

TEST_CASE("gradients: losses") {
  check_gradients<Sequential<Input<5>, Linear<4>, LogSoftmax>, NLLLoss>();
  check_gradients<Sequential<Input<5>, Linear<4>>, CrossEntropyLoss>();
  check_gradients<Sequential<Input<5>, Linear<4>>, MSELoss>();
  check_gradients<Sequential<Input<2, 3, 2>, Conv2d<3, 2>>, MSELoss>();
  check_gradients<Sequential<Input<5>>, CrossEntropyLoss>();
}

TEST_CASE("gradients: matrix products") {
  check_layers<Input<1>, Linear<1>>();
  check_layers<Input<17>, Linear<9>>();
  check_layers<Input<6>, Linear<5, NoBias>, Linear<3>>();
}

TEST_CASE("gradients: maps") {
  check_layers<Input<9>, Linear<8>, ReLU, Linear<4>>();
  check_layers<Input<9>, Linear<8>, Tanh, Linear<4>>();
  check_layers<Input<9>, Linear<8>, Sigmoid, Linear<4>>();
  check_layers<Input<9>, Linear<8>, Activation<Cube>, Linear<4>>();
  check_layers<Input<9>, Linear<8>, Activation<OfUser>, Linear<4>>();
  check_layers<Input<9>, Activation<Cube>, Tanh, ReLU>();
  check_layers<Input<3, 2, 5>, ReLU, Conv2d<2, 2>, Sigmoid, Activation<Cube>>();
}

TEST_CASE("gradients: rows") {
  check_layers<Input<6>, Softmax>();
  check_layers<Input<6>, LogSoftmax>();
  check_layers<Input<1>, LogSoftmax, Linear<2>>();
  check_gradients<Sequential<Input<7>, Linear<5>, Softmax>, MSELoss>();
  check_layers<Input<7>, Linear<5>, Softmax, Linear<4>, Softmax>();
}

TEST_CASE("gradients: convolutions") {
  check_layers<Input<1, 6, 5>, Conv2d<1, 3>>();
  check_layers<Input<2, 5, 8>, Conv2d<3, Kernel<2, 4>>>();
  check_layers<Input<3, 4, 3>, Conv2d<5, 1, NoBias>>();
  check_layers<Input<4, 7, 5>, Conv2d<2, 3, Stride<2>>>();
  check_layers<Input<5, 6, 7>, Conv2d<3, 2, Stride<3, 2>>>();
  check_layers<Input<1, 3, 5>, Conv2d<2, Kernel<3, 5>, Padding<1, 3>>>();
  check_layers<Input<2, 7, 9>, Conv2d<2, 3, Dilation<2, 3>>>();
  check_layers<Input<4, 5, 6>, Conv2d<6, 3, Groups<2>>>();
  check_layers<Input<3, 5, 4>, Conv2d<3, 3, Padding<1>, Groups<3>>>();
  check_layers<Input<4, 9, 8>, Conv2d<6, Kernel<3, 2>, Stride<2>, Padding<1>, Dilation<2>, Groups<2>, NoBias>>();
  check_layers<Input<2, 2, 3>, Conv2d<3, Kernel<2, 3>>>();
}

TEST_CASE("gradients: pools") {
  check_layers<Input<1, 4, 6>, MaxPool2d<2>>();
  check_layers<Input<2, 5, 7>, MaxPool2d<Kernel<2, 3>>>();
  check_layers<Input<3, 7, 5>, MaxPool2d<3, Stride<2>>>();
  check_layers<Input<4, 6, 5>, MaxPool2d<3, Stride<2, 1>, Padding<1>>>();
  check_layers<Input<5, 5, 4>, MaxPool2d<2, Stride<3>, Padding<1, 0>>>();
  check_layers<Input<1, 4, 6>, AvgPool2d<2>>();
  check_layers<Input<2, 5, 7>, AvgPool2d<Kernel<2, 3>>>();
  check_layers<Input<3, 7, 5>, AvgPool2d<3, Stride<2>>>();
  check_layers<Input<4, 6, 5>, AvgPool2d<3, Stride<2, 1>, Padding<1>>>();
  check_layers<Input<2, 9, 8>, Conv2d<3, 2>, MaxPool2d<3, Stride<1>>, AvgPool2d<2>>();
  check_layers<Input<3, 8, 7>, AvgPool2d<2, Stride<1>>, Conv2d<2, 2>, MaxPool2d<2>>();
}

TEST_CASE("gradients: masks") {
  check_layers<Input<9>, Dropout<0.5>, Linear<6>>();
  check_layers<Input<9>, Linear<6>, Dropout<0.2>, ReLU, Dropout<0.7>>();
  check_layers<Input<5, 3, 4>, Conv2d<4, 2>, Dropout<0.4>, Tanh>();
  check_layers<Input<5, 3, 4>, Dropout2d<0.4>, Conv2d<8, 2>, Dropout2d<0.5>, Tanh>();
  check_layers<Input<4>, Dropout<0.0>, Linear<3>>();
  check_layers<Input<4>, Linear<3>, Dropout<1.0>>();
  check_layers<Input<3, 8, 6>, Conv2d<6, 3>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Flatten, Linear<3>>();
}

TEST_CASE("gradients: whole networks") {
  check_gradients<EveryOp, NLLLoss>();
  check_gradients<Sequential<Input<3, 8, 11>, Conv2d<4, 3>, ReLU, Conv2d<5, 3>, ReLU, MaxPool2d<2>, Flatten, Linear<6>,
                             ReLU, Linear<3>>,
                  CrossEntropyLoss>();
  check_gradients<W1, NLLLoss>(8);
}

TEST_CASE("gradients: a value that two ops read") {}

// -- the engine as a whole -------------------------------------------------------------------------------------------

TEST_CASE("a batch is its rows, in any order") {
  const auto problem = Problem<EveryOp>(7, 3);
  ReferenceEngine<EveryOp, double> engine, other;
  const auto whole = gradients_of(engine, problem, NLLLoss{}, 0.5);

  Gradients<double> sum{0, Numbers(whole.parameters.size()), Numbers(whole.input.size())};
  for (std::size_t row = 7; row-- > 0;) {
    const std::size_t at = row * problem.inputs;
    struct OneLabel {
      int of_row;
      int label(std::size_t) const { return of_row; }
    };
    sum.loss += other.accumulate(problem.parameters.data(), problem.x.data() + at, 1, OneLabel{problem.labels[row]},
                                 problem.samples.data() + row, problem.key, 0.5, NLLLoss{}, sum.parameters.data(),
                                 sum.input.data() + at);
  }
  CHECK(compare<EveryOp>(sum, whole).error < 1e-13);
}

TEST_CASE("inference is training without masks") {
  using Masked = Sequential<Input<2, 6, 5>, Dropout2d<0.5>, Conv2d<3, 3>, Dropout<0.5>, Flatten, Linear<4>, LogSoftmax>;
  using Plain = Sequential<Input<2, 6, 5>, Conv2d<3, 3>, Flatten, Linear<4>, LogSoftmax>;
  const auto problem = Problem<Plain>(5, 3);
  ReferenceEngine<Masked, double> masked;
  ReferenceEngine<Plain, double> plain;
  Numbers a(5 * 4), b(5 * 4);
  masked.forward(problem.parameters.data(), problem.x.data(), 5, a.data());
  plain.forward(problem.parameters.data(), problem.x.data(), 5, b.data());
  CHECK(a == b);

  double loss = 0;
  for (std::size_t i = 0; i < 5; ++i) loss -= a[i * 4 + static_cast<std::size_t>(problem.label(i))];
  CHECK(gradients_of(plain, problem, NLLLoss{}, 1.0).loss == doctest::Approx(loss).epsilon(1e-14));
  CHECK(gradients_of(plain, problem, NLLLoss{}, 9.0).loss == doctest::Approx(loss).epsilon(1e-14));
}

TEST_CASE("float is near double") {
  const auto problem = smooth_problem<EveryOp>(7, 3);
  ReferenceEngine<EveryOp, double> engine;
  ReferenceEngine<EveryOp, float> single;
  const WorstError worst = compare<EveryOp>(gradients_of(single, Problem<EveryOp, float>(problem), NLLLoss{}, 0.25f),
                                            gradients_of(engine, problem, NLLLoss{}, 0.25));
  CAPTURE(worst.tensor);
  CHECK(worst.error < 2e-6);
}

// -- PyTorch ---------------------------------------------------------------------------------------------------------

namespace {

/// Compares a layer with its case in layers.safetensors, in double and in float.
template <class T, class Model>
WorstError against_pytorch(const Safetensors& all, const std::string& name) {
  using Ops = Program<Model>;
  const auto x = all.values<T>(name + ".x"), dy = all.values<T>(name + ".dy"), y = all.values<T>(name + ".y");
  const std::size_t rows = all[name + ".x"].shape[0];
  REQUIRE(x.size() == rows * Problem<Model>::inputs);
  REQUIRE(y.size() == rows * Problem<Model>::outputs);

  Problem<Model, T> problem{Problem<Model>(rows, 1)};
  problem.x = x;
  problem.wanted = dy;
  for (const auto& p : Ops::parameters) {
    const auto from = all.values<T>(name + (p.is_bias ? ".bias" : ".weight"));
    REQUIRE(from.size() == static_cast<std::size_t>(p.size));
    std::copy(from.begin(), from.end(), problem.parameters.begin() + p.offset);
  }
  ReferenceEngine<Model, T> engine;
  std::vector<T> output(y.size());
  engine.forward(problem.parameters.data(), x.data(), rows, output.data());
  const auto g = gradients_of(engine, problem, GivenGradient{}, T(1));

  WorstError worst;
  worst.add("y", norm_error(output, y));
  worst.add("dx", norm_error(g.input, all.values<T>(name + ".dx")));
  for (const auto& p : Ops::parameters)
    worst.add(p.name(),
              norm_error(tensor_of(p, g.parameters), all.values<T>(name + (p.is_bias ? ".dbias" : ".dweight"))));
  return worst;
}

template <class T, class Model, class Loss>
WorstError loss_against_pytorch(const Safetensors& all, const std::string& name) {
  const std::size_t rows = all[name + ".x"].shape[0];
  Problem<Model, T> problem{Problem<Model>(rows, 1)};
  problem.x = all.values<T>(name + ".x");
  REQUIRE(problem.x.size() == rows * problem.inputs);
  if (all.has(name + ".target")) {
    problem.wanted = all.values<T>(name + ".target");
  } else {
    problem.labels = all.values<int>(name + ".labels");
  }
  ReferenceEngine<Model, T> engine;
  const auto g = gradients_of(engine, problem, Loss{}, T(1) / static_cast<T>(rows));
  WorstError worst;
  worst.add("loss", norm_error(Numbers{g.loss / static_cast<double>(rows)}, all.values<double>(name + ".loss")));
  worst.add("dx", norm_error(g.input, all.values<T>(name + ".dx")));
  return worst;
}

// The fixtures are rounded to float.
void check_errors(const std::string& name, const WorstError& in_double, const WorstError& in_float) {
  CAPTURE(name);
  CAPTURE(in_double.tensor);
  CAPTURE(in_float.tensor);
  CHECK(in_double.error < 6e-8);
  CHECK(in_float.error < 2e-6);
}

}  // namespace

TEST_CASE("layers give the numbers of PyTorch") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/layers.safetensors");
  std::size_t tensors = 0;
  const auto count = [&](const std::string& name) {
    for (const auto& entry : all.tensors()) tensors += entry.first.rfind(name + ".", 0) == 0;
  };
  const auto layer = [&]<class Shape, class Layer>(const std::string& name, Shape, Layer) {
    using Model = Sequential<Shape, Layer>;
    check_errors(name, against_pytorch<double, Model>(all, name), against_pytorch<float, Model>(all, name));
    count(name);
  };
  layer("conv_plain", Input<3, 7, 9>{}, Conv2d<5, Kernel<3, 2>>{});
  layer("conv_stride", Input<2, 9, 6>{}, Conv2d<3, 3, Stride<2>>{});
  layer("conv_padding", Input<1, 5, 8>{}, Conv2d<4, Kernel<3, 5>, Padding<1>>{});
  layer("conv_dilation", Input<2, 7, 10>{}, Conv2d<3, Kernel<2, 3>, Dilation<2>>{});
  layer("conv_groups", Input<4, 6, 5>{}, Conv2d<6, 3, Groups<2>>{});
  layer("conv_depthwise", Input<3, 5, 7>{}, Conv2d<3, 3, Padding<1>, Groups<3>>{});
  layer("conv_no_bias", Input<2, 4, 3>{}, Conv2d<5, 1, NoBias>{});
  layer("conv_all", Input<4, 9, 8>{}, Conv2d<6, Kernel<3, 2>, Stride<2>, Padding<1>, Dilation<2>, Groups<2>>{});
  layer("conv_two_numbers", Input<2, 8, 7>{}, Conv2d<3, Kernel<2, 3>, Stride<2, 1>, Padding<0, 2>, Dilation<1, 2>>{});
  layer("linear", Input<7>{}, Linear<5>{});
  layer("linear_no_bias", Input<5>{}, Linear<3, NoBias>{});
  layer("avgpool_2", Input<3, 7, 5>{}, AvgPool2d<2>{});
  layer("maxpool_2", Input<3, 7, 5>{}, MaxPool2d<2>{});
  layer("avgpool_3_stride_2", Input<2, 9, 6>{}, AvgPool2d<3, Stride<2>>{});
  layer("maxpool_3_stride_2", Input<2, 9, 6>{}, MaxPool2d<3, Stride<2>>{});
  layer("avgpool_3_stride_2_padding_1", Input<2, 8, 5>{}, AvgPool2d<3, Stride<2>, Padding<1>>{});
  layer("maxpool_3_stride_2_padding_1", Input<2, 8, 5>{}, MaxPool2d<3, Stride<2>, Padding<1>>{});
  layer("maxpool_ties", Input<1, 7, 8>{}, MaxPool2d<3, Stride<2>, Padding<1>>{});
  layer("relu", Input<11>{}, ReLU{});
  layer("sigmoid", Input<11>{}, Sigmoid{});
  layer("tanh", Input<11>{}, Tanh{});
  layer("softmax", Input<7>{}, Softmax{});
  layer("softmax_large", Input<5>{}, Softmax{});
  layer("log_softmax", Input<7>{}, LogSoftmax{});
  layer("log_softmax_large", Input<5>{}, LogSoftmax{});

  const auto loss = [&]<class Shape, class Loss>(const std::string& name, Shape, Loss) {
    using Model = Sequential<Shape>;
    check_errors(name, loss_against_pytorch<double, Model, Loss>(all, name),
                 loss_against_pytorch<float, Model, Loss>(all, name));
    count(name);
  };
  loss("nll_loss", Input<7>{}, NLLLoss{});
  loss("cross_entropy_loss", Input<7>{}, CrossEntropyLoss{});
  loss("cross_entropy_loss_large", Input<7>{}, CrossEntropyLoss{});
  loss("mse_loss", Input<3>{}, MSELoss{});
  CHECK(tensors == all.tensors().size());  // no case was forgotten
}
