// SPDX-License-Identifier: MIT
#include <sinter/fn/apply.hpp>
#include <vector>

#include "int8/networks.hpp"
#include "support/error_of.hpp"

using namespace sinter_test;
using sinter::internal::int8::Quantization;

namespace {

/// What the definition says, in double.
template <class F>
double nearest(double x) {
  const double scale = static_cast<double>(F::scale), q = std::floor(x / scale + 0.5);
  return scale * std::clamp(q, -1.0 * F::zero, 255.0 - F::zero);
}
/// Numbers on both sides of the range, none of them next to a half; a pack gives what its lanes do.
template <double low, double high>
void check_numbers() {
  using F = fn::FakeQuantize<low, high>;
  CHECK(Quantization{F::scale, F::zero} == Quantization::of_range(low, high));
  const double scale = static_cast<double>(F::scale);
  for (int i = -300; i < 600; ++i)
    for (const double part : {-0.499, -0.2, 0.0, 0.3, 0.499}) {
      const double x = scale * (i + part);
      const bool inside = i >= -F::zero && i <= 255 - F::zero;
      const auto single = static_cast<float>(x);
      CHECK(fn::forward<F>(x) == doctest::Approx(nearest<F>(x)).epsilon(1e-12));
      CHECK(fn::forward<F>(single) == F::scale * static_cast<float>(std::clamp(i, -F::zero, 255 - F::zero)));
      CHECK(fn::backward<F>(x, 3.0) == (inside ? 3 : 0));
      CHECK(fn::backward<F>(single, 3.0f) == (inside ? 3 : 0));
      using Eight = internal::Pack<float, 8>;
      Eight several(0.25f);
      several.set(5, single);
      CHECK(fn::forward<F>(several)[5] == fn::forward<F>(single));
      CHECK(fn::forward<F>(several)[0] == fn::forward<F>(0.25f));
      CHECK(fn::backward<F>(several, Eight(3))[5] == fn::backward<F>(single, 3.0f));
    }
}

/// The 256 numbers of all values, between which a network of floats computes, so that both see the same.
struct Plain : Sequential<Input<7>, FakeQuantize<-1, 1>, Linear<33>, ReLU, FakeQuantize<0, 2>, Dropout<0.5>, Linear<5>,
                          FakeQuantize<-2, 2>> {};
struct Images : Sequential<Input<3, 9, 7>, FakeQuantize<-1, 1>, Conv2d<5, 3, Padding<1>>, BatchNorm2d<>,
                           FakeQuantize<0, 1.5>, MaxPool2d<2>, Conv2d<5, 3, Padding<1>, Groups<5>>, ReLU6,
                           FakeQuantize<0, 0.75>, AvgPool2d<2, Stride<1>>, FakeQuantize<0, 0.75>, Flatten, Linear<3>,
                           FakeQuantize<-2, 2>, Tanh, FakeQuantize<-1, 1>> {};
struct Branches
    : Sequential<Input<4, 5, 5>, FakeQuantize<-1, 1>, Conv2d<17, 3, NoBias>, BatchNorm2d<>, ReLU, FakeQuantize<0, 2>,
                 Residual<Path<Conv2d<17, 3, Padding<1>, NoBias>, BatchNorm2d<>, FakeQuantize<-2, 2>>>, ReLU,
                 FakeQuantize<0, 3>, Flatten, Linear<4>, FakeQuantize<-3, 3>> {};

/// Weights are rounded before, so that quantize() finds them as they are. A number next to a half may go the other way,
/// as a bias is rounded, too: what follows moves by a step or two.
template <class Model>
void check_same_numbers(double share) {
  Network<Model> net{{.seed = 3}};
  const auto other = network_of<Model>();
  net.from_host({other.data(), static_cast<std::size_t>(internal::Program<Model>::storage_size)});
  FakeQuantizeWeights{net}.on_begin(0);
  const auto x = rows_of<Model>(71);
  const auto quantized = quantize(net, x);
  const Quantization& last = quantized.data()->of(internal::Program<Model>::output_value);
  const std::vector<float> y = outputs_of(quantized, x, 7), wanted = outputs_of(net, x, 71);
  std::size_t same = 0;
  int most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int steps = std::abs(last.nearest(static_cast<double>(y[i])) - last.nearest(static_cast<double>(wanted[i])));
    CHECK(last.value(last.nearest(static_cast<double>(wanted[i]))) == wanted[i]);
    same += steps == 0;
    most = std::max(most, steps);
  }
  const double equal = static_cast<double>(same) / static_cast<double>(y.size());
  CAPTURE(equal);
  CHECK(equal >= share);
  CHECK(most <= 2);
  CHECK(*std::max_element(y.begin(), y.end()) > *std::min_element(y.begin(), y.end()));
}

template <class Model>
Quantization of_layer(const QuantizedNetwork<Model>& net, int layer) {
  Quantization last;
  for (const auto& op : internal::Program<Model>::ops)
    if (op.layer == layer) last = net.data()->of(op.output);
  return last;
}
template <class Model>
bool is_nothing(int layer) {
  using Ops = internal::Program<Model>;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Ops::op_count); ++i)
    if (Ops::ops[i].layer == layer) return internal::int8::Plan<Model>::ops[i].role == internal::int8::Role::none;
  return false;
}

}  // namespace

TEST_CASE("the nearest of 256 numbers") {
  check_numbers<0.0, 6.0>();
  check_numbers<-1.0, 1.0>();
  check_numbers<-0.3, 2.7>();
  check_numbers<-5.0, 0.0>();
  check_numbers<-0.01, 1000.0>();
}
TEST_CASE("halves go upwards, as in 8 bits; a NaN stays one") {
  using F = fn::FakeQuantize<-128.0, 127.0>;
  CHECK(fn::forward<F>(0.5f) == 1);
  CHECK(fn::forward<F>(1.5f) == 2);
  CHECK(fn::forward<F>(2.5) == 3);
  CHECK(fn::forward<F>(-0.5f) == 0);
  CHECK(fn::forward<F>(-1.5) == -1);
  CHECK(fn::forward<F>(INFINITY) == 127);
  CHECK(fn::forward<F>(-INFINITY) == -128);
  CHECK(fn::forward<F>(3e38f) == 127);
  CHECK(std::isnan(fn::forward<F>(std::nanf(""))));
  CHECK(fn::backward<F>(-128.5f, 2.0f) == 2);
  CHECK(fn::backward<F>(-128.6f, 2.0f) == 0);
  CHECK(fn::backward<F>(127.4f, 2.0f) == 2);
  CHECK(fn::backward<F>(127.5f, 2.0f) == 0);
  CHECK(fn::backward<F>(-INFINITY, 2.0f) == 0);
}
TEST_CASE("torch.fake_quantize_per_tensor_affine gives the same numbers and gradients") {
  // scale 0.0117647061124444 and zero point 25, from 0 to 255; PyTorch 2.15
  using F = fn::FakeQuantize<-0.3, 2.7>;
  CHECK(F::scale == 0.0117647061124444f);
  CHECK(F::zero == 25);
  struct {
    float x, y;
    int gradient;
  } const all[] = {{-1.5f, -0.294117659f, 0},     {-0.302f, -0.294117659f, 0}, {-0.012f, -0.0117647061f, 1},
                   {-0.0117f, -0.0117647061f, 1}, {0.0117f, 0.0117647061f, 1}, {0.77f, 0.764705896f, 1},
                   {2.69f, 2.69411778f, 1},       {2.71f, 2.70588231f, 1},     {3.3f, 2.70588231f, 0},
                   {100, 2.70588231f, 0}};
  for (const auto& one : all) {
    CAPTURE(one.x);
    CHECK(fn::forward<F>(one.x) == one.y);
    CHECK(fn::backward<F>(one.x, 1.0f) == static_cast<float>(one.gradient));
  }
}
TEST_CASE("8 bits compute what the network of floats does") {
  check_same_numbers<Plain>(0.99);
  check_same_numbers<Images>(0.99);
  check_same_numbers<Branches>(0.99);
}
TEST_CASE("values have the quantization that the layer behind them states, whatever the rows are") {
  const auto images = quantize(network_of<Images>(), rows_of<Images>(1));
  CHECK(images.data()->of(0) == Quantization::of_range(-1, 1));
  CHECK(of_layer(images, 3) == Quantization::of_range(0, 1.5));
  CHECK(of_layer(images, 2) == of_layer(images, 3));
  CHECK(of_layer(images, 4) == of_layer(images, 3));
  CHECK(of_layer(images, 7) == Quantization::of_range(0, 0.75));
  CHECK(of_layer(images, 14) == Quantization::of_range(-1, 1));
  for (const int layer : {0, 3, 7, 9, 12, 14}) CHECK(is_nothing<Images>(layer));
}
TEST_CASE("a second range behind a first, and one of two readers, are computed") {
  struct Twice : Sequential<Input<7>, Linear<9>, FakeQuantize<-1, 1>, FakeQuantize<0, 0.5>, FakeQuantize<0, 0.5>,
                            Residual<Path<FakeQuantize<-0.25, 0.25>>>, FakeQuantize<0, 1>> {};
  CHECK(is_nothing<Twice>(1));
  CHECK_FALSE(is_nothing<Twice>(2));
  CHECK(is_nothing<Twice>(3));
  CHECK_FALSE(is_nothing<Twice>(4));
  const auto quantized = quantize(network_of<Twice>(), rows_of<Twice>(40));
  CHECK(of_layer(quantized, 1) == Quantization::of_range(-1, 1));
  CHECK(of_layer(quantized, 2) == Quantization::of_range(0, 0.5));
  CHECK(of_layer(quantized, 3) == Quantization::of_range(0, 0.5));
  CHECK(of_layer(quantized, 5) == Quantization::of_range(0, 1));
  check_network<Twice>(0.02);
}
TEST_CASE("ranges of the layers of a network") {
  Network<Plain> net{{.seed = 3}};
  auto x = rows_of<Plain>(3);
  const auto all = layer_ranges(net, dataset(x, x));
  REQUIRE(all.size() == 7);
  CHECK(all[0].layer == 0);
  CHECK(std::string(all[0].layer_name) == "FakeQuantize");
  CHECK(std::string(all[1].name) == "matmul");
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const float one : outputs_of(net, x, 3)) {
    low = std::min(low, static_cast<double>(one));
    high = std::max(high, static_cast<double>(one));
  }
  CHECK(all[6].low == doctest::Approx(low));
  CHECK(all[6].high == doctest::Approx(high));
  CHECK(all[3].low == 0);
  x(1, 2) = INFINITY;
  CHECK(error_of([&] { layer_ranges(net, dataset(x, x)); }) ==
        "layer_ranges was given a row with a number that is not finite; leave it out");
}
