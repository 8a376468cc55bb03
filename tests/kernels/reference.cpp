// SPDX-License-Identifier: MIT
// labels: large
#include "sinter/kernels/reference/engine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/make_reference.hpp"
#include "support/networks.hpp"
#include "support/pytorch_layers.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Cube, networks::EveryOp, networks::W1;

namespace {

using Numbers = std::vector<double>;
struct Given {
  Numbers numbers;  // [rows][width]
  std::size_t width;
  const double* row(std::size_t i) const { return numbers.data() + i * width; }
};
TrainingBatch<const double*, Given> one_row(const Numbers& x, const Given& given, const std::uint32_t& sample,
                                            MaskKey key) {
  return {x.data(), 1, given, &sample, key};
}
struct OneLabel {
  int of_row;
  int label(std::size_t) const { return of_row; }
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
  engine.accumulate(arena.data(), one_row(x, Given{dy, dy.size()}, sample, MaskKey{}), GivenGradient{},
                    GradientSum{1.0, gradient.data(), result.dx.data()});
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
    engine.accumulate(nullptr, one_row(ones, Given{ones, size}, sample, key), GivenGradient{},
                      GradientSum<double, double*>{1.0, nullptr, dx.data()});
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
  engine.accumulate(nullptr, one_row(ones, Given{ones, 64}, sample, MaskKey{}), GivenGradient{},
                    GradientSum<double>{1.0, nullptr});
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
        const auto sample = static_cast<std::uint32_t>(row);
        const auto m = reference_kernels::draw_masks<float>(op, MaskKey{1, step}, &sample, 1);
        for (std::size_t i = 0; i < m.size(); ++i)
          CHECK(m[i] == tensor.values[row * tensor.shape[1] + i / (m.size() / tensor.shape[1])]);
      }
    }
  }
}

// -- central differences ---------------------------------------------------------------------------------------------

TEST_CASE("gradients: losses") { check_gradients(MakeReference{}, networks::Losses{}); }
TEST_CASE("gradients: matrix products") { check_gradients(MakeReference{}, networks::Products{}); }
TEST_CASE("gradients: maps") { check_gradients(MakeReference{}, networks::Maps{}); }
TEST_CASE("gradients: rows") { check_gradients(MakeReference{}, networks::Rows{}); }
TEST_CASE("gradients: convolutions") { check_gradients(MakeReference{}, networks::Convolutions{}); }
TEST_CASE("gradients: pools") { check_gradients(MakeReference{}, networks::Pools{}); }
TEST_CASE("gradients: masks") { check_gradients(MakeReference{}, networks::Masks{}); }
TEST_CASE("gradients: batch normalisation") { check_gradients(MakeReference{}, networks::BatchNorms{}, {4, 7}); }
TEST_CASE("gradients: branches") {
  check_gradients(MakeReference{}, networks::Residuals{});
  check_gradients(MakeReference{}, networks::Concats{});
}
TEST_CASE("gradients: whole networks") { check_gradients(MakeReference{}, networks::Whole{}); }
TEST_CASE("gradients: W1") { check_gradients(MakeReference{}, TypeList<Case<W1, NLLLoss>>{}, {1, 7}, 8); }

// -- ops that read any earlier value ---------------------------------------------------------------------------------

namespace {
/// A network that Sequential does not make: op 0 makes value 1, op 1 makes value 2 of it, which no op reads, op 2 makes value 3 of value 1.
struct Fork {
  using LayerTypes = LayerList<>;
};
}  // namespace

template <>
struct sinter::internal::Program<Fork, LayerList<>> {
  static constexpr int op_count = 3, value_count = 4, output_value = 3;
  static constexpr Dims input = features(3), output = features(3);
  template <int I>
  using OpType = Map<Cube>;
  static constexpr std::array<Op, 3> ops = [] {
    std::array<Op, 3> all{};
    for (int i = 0; i < 3; ++i) {
      Op op = Map<Cube>::describe(features(3));
      op.inputs[0] = i == 0 ? 0 : 1;
      op.output = i + 1;
      all[static_cast<std::size_t>(i)] = op;
    }
    return all;
  }();
  static constexpr std::array<Parameter, 0> parameters{};
  static constexpr int arena_size = 0;
};

TEST_CASE("gradients of a value that two ops read are summed") {
  const auto r = run<Fork>({}, {1, 2, -1}, {1, 10, 100});  // y = x^9
  CHECK(r.y == Numbers{1, 512, -1});
  CHECK(r.dx == Numbers{9, 9 * 256 * 10, 900});
}

// -- the engine as a whole -------------------------------------------------------------------------------------------

TEST_CASE("a batch is its rows, in any order") {
  const auto problem = Problem<EveryOp>(7, 3);
  ReferenceEngine<EveryOp, double> engine, other;
  const auto whole = gradients_of(engine, problem, NLLLoss{}, 0.5);

  Gradients<double> sum{0, Numbers(whole.parameters.size()), Numbers(whole.input.size())};
  for (std::size_t row = 7; row-- > 0;) {
    const std::size_t at = row * problem.inputs;
    sum.loss += other.accumulate(problem.parameters.data(),
                                 TrainingBatch{.inputs = problem.x.data() + at,
                                               .rows = 1,
                                               .targets = OneLabel{problem.labels[row]},
                                               .samples = problem.samples.data() + row,
                                               .key = problem.key},
                                 NLLLoss{}, GradientSum{0.5, sum.parameters.data(), sum.input.data() + at});
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

TEST_CASE("layers give the numbers of PyTorch") { check_layers_against_pytorch<double>(MakeReference{}); }
