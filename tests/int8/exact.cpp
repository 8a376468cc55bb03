// SPDX-License-Identifier: MIT
// labels: processor
#include <limits>

#include "int8/networks.hpp"
#include "support/allocations.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"

using namespace sinter_test;
using sinter::internal::int8::Quantization;

namespace {

struct Net : Sequential<Input<2, 7, 6>, Conv2d<5, 3, Stride<2>, Padding<1>>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Flatten,
                        Linear<3>> {};

struct Logarithm : Sequential<Input<4>, Linear<4>, ReLU, Activation<internal::fn::Log>, Linear<2>> {};
struct Normalized : Sequential<Input<3>, BatchNorm1d<>, Linear<2>> {};

/// A row from its end to its beginning: not to be computed in place.
struct Backwards {
  template <class V>
  static void forward(const V* x, V* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = x[n - 1 - i];
  }
  template <class V>
  static void backward(const V*, V* dy, int n) {
    std::reverse(dy, dy + n);
  }
};
struct Turned : Sequential<Input<3>, Linear<5>, RowActivation<Backwards>> {};
struct Straight : Sequential<Input<3>, Linear<5>> {};

/// One product as the definition says it, number by number in the order of the float network: quantized weights, a sum
/// in 64 bits, a factor of 31 bits.
struct Definition {
  std::vector<double> weight, bias;
  int rows, columns;
  Quantization in, out;

  double step(int row) const {
    double largest = 0;
    for (int k = 0; k < columns; ++k)
      largest = std::max(largest, std::abs(weight[static_cast<std::size_t>(row * columns + k)]));
    return largest / 127;
  }
  double factor(int row) const { return step(row) * static_cast<double>(in.scale) / static_cast<double>(out.scale); }
  /// q of the output of a row, of the numbers q that its weights meet.
  std::uint8_t output(int row, const std::vector<int>& x) const {
    double most = 0;
    for (int r = 0; r < rows; ++r) most = std::max(most, factor(r));
    int exponent;
    std::frexp(most, &exponent);
    const int shift = 31 - exponent;
    std::int64_t sum = static_cast<std::int64_t>(
        std::floor(bias[static_cast<std::size_t>(row)] / (step(row) * static_cast<double>(in.scale)) + 0.5));
    for (int k = 0; k < columns; ++k)
      sum +=
          static_cast<std::int64_t>(std::floor(weight[static_cast<std::size_t>(row * columns + k)] / step(row) + 0.5)) *
          (x[static_cast<std::size_t>(k)] - in.zero);
    const auto multiplier = static_cast<std::int64_t>(std::floor(std::ldexp(factor(row), shift) + 0.5));
    const std::int64_t q = ((sum * multiplier + (std::int64_t{1} << (shift - 1))) >> shift) + out.zero;
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(q, 0, 255));
  }
};

std::vector<double> numbers(std::span<const float> from) { return {from.begin(), from.end()}; }

/// The hash FNV-1a of bytes.
template <class T>
std::uint64_t hash_of(std::span<const T> all, std::uint64_t hash = 14695981039346656037u) {
  for (const T& one : all) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &one, sizeof(T));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  }
  return hash;
}

}  // namespace

TEST_CASE("a last functor of rows gets a row of its own") {
  const Tensor<float, Shape<3>> x{{0.1f, -1, 2, 3, 0.5f, -0.25f}};
  const auto backwards = quantize(Network<Turned>{{.seed = 1}}, x);
  const auto straight_on = quantize(Network<Straight>{{.seed = 1}}, x);
  auto one = backwards.workspace(2);
  auto other = straight_on.workspace(2);
  const auto turned = backwards.forward(x, one), straight = straight_on.forward(x, other);
  for (std::size_t row = 0; row < 2; ++row)
    for (int i = 0; i < 5; ++i) CHECK(turned(row, i) == straight(row, 4 - i));
}

TEST_CASE("outputs are those of the definition, number by number") {
  auto net = network_of<Net>();
  for (const auto& buffer : net.buffers())
    std::fill(buffer.value.begin(), buffer.value.end(), buffer.name.ends_with("var") ? 4.0f : 0.0f);
  const auto x = rows_of<Net>(5);
  const auto quantized = quantize(net, x);
  const auto& weights = *quantized.data();
  const Quantization &input = weights.of(0), &hidden = weights.of(internal::Program<Net>::ops[2].output),
                     &output = weights.of(internal::Program<Net>::output_value);
  Definition conv{numbers(net.parameter("0.weight")), numbers(net.parameter("0.bias")), 5, 18, input, hidden};
  const double factor = 1 / std::sqrt(4 + 1e-5);
  for (double& w : conv.weight) w *= factor;
  for (double& b : conv.bias) b = b * factor + 0;
  const Definition linear{numbers(net.parameter("5.weight")), numbers(net.parameter("5.bias")), 3, 10, hidden, output};

  auto workspace = quantized.workspace(5);
  const auto y = quantized.forward(x, workspace);
  for (std::size_t row = 0; row < 5; ++row) {
    std::vector<int> pooled(10);
    for (int c = 0; c < 5; ++c)
      for (int oy = 0; oy < 4; ++oy)
        for (int ox = 0; ox < 3; ++ox) {
          std::vector<int> window;
          for (int k = 0; k < 18; ++k) {
            const int iy = 2 * oy + k % 9 / 3 - 1, ix = 2 * ox + k % 3 - 1;
            const bool inside = iy >= 0 && iy < 7 && ix >= 0 && ix < 6;
            window.push_back(inside ? input.nearest(static_cast<double>(x(row, k / 9, iy, ix))) : input.zero);
          }
          if (ox == 2) continue;  // outside of the pool's windows
          int& largest = pooled[static_cast<std::size_t>(c * 2 + oy / 2)];
          largest = std::max<int>(largest, conv.output(c, window));
        }
    for (int o = 0; o < 3; ++o) CHECK(y(row, o) == output.value(linear.output(o, pooled)));
  }
}

TEST_CASE("the same bits on every machine") {
  const auto net = network_of<Net>();
  const auto x = rows_of<Net>(64);
  const auto quantized = quantize(net, x);
  const auto& weights = *quantized.data();
  CHECK(hash_of(std::span<const std::int8_t>(weights.weights)) == 8741343845493704253u);
  CHECK(hash_of(std::span<const std::int32_t>(weights.numbers)) == 9094570163822781162u);
  const std::vector<float> y = outputs_of(quantized, x, 64);
  CHECK(hash_of(std::span<const float>(y)) == 17610289662124007889u);
}

TEST_CASE("a row of zeros leaves the other rows their steps") {
  auto net = network_of<Net>();
  const auto x = rows_of<Net>(64);
  for (int k = 0; k < 10; ++k) net.parameter("5.weight")[static_cast<std::size_t>(10 + k)] = 0;
  net.parameter("5.bias")[1] = 0;
  auto workspace = net.workspace(64);
  const auto y = net.forward(x, workspace);
  const auto [low, high] = std::minmax_element(y.data, y.data + 64 * 3);
  const auto quantized = quantize(net, x);
  const Quantization& output = quantized.data()->of(internal::Program<Net>::output_value);
  CHECK(output.scale == doctest::Approx((*high - *low) / 255).epsilon(1e-3));
  const std::vector<float> own = outputs_of(quantized, x, 64);
  for (std::size_t row = 0; row < 64; ++row) CHECK(own[row * 3 + 1] == 0);
}

TEST_CASE("a forward pass allocates nothing, takes bytes with a scale, and a NaN as the smallest number") {
  const auto net = network_of<Net>();
  const auto x = rows_of<Net>(40);
  const auto quantized = quantize(net, x);
  auto workspace = quantized.workspace(40);
  CHECK(counted::allocations_in([&] { quantized.forward(x, workspace); }) == 0);

  Tensor<std::uint8_t, Net::InputRow> bytes(2);
  Tensor<float, Net::InputRow> same(2);
  for (std::size_t i = 0; i < bytes.values().size(); ++i) {
    bytes.values()[i] = static_cast<std::uint8_t>(i * 37);
    same.values()[i] = static_cast<float>(bytes.values()[i]) * 0.0078125f - 1;
  }
  const auto y = quantized.forward(bytes.view(), workspace, Normalize{0.0078125f, -1});
  const std::vector<float> of_bytes(y.data, y.data + 6);
  CHECK(same_bits(of_bytes, outputs_of(quantized, same, 2)));

  // A scale beyond a float's for 8 bits: 0 stays 0.
  const Tensor<float, Net::InputRow> zeros(1);
  const auto of_zeros = quantized.forward(zeros, workspace, Normalize{.scale = 3e38f});
  const std::vector<float> scaled(of_zeros.data, of_zeros.data + 3);
  CHECK(same_bits(scaled, outputs_of(quantized, zeros, 1)));
  // A scale and a shift whose quotients by the step no float holds: 2 3e38 - 3e38 is large.
  Tensor<float, Net::InputRow> twos(1), large(1);
  std::fill(twos.values().begin(), twos.values().end(), 2.0f);
  std::fill(large.values().begin(), large.values().end(), 3e38f);
  const auto of_twos = quantized.forward(twos, workspace, Normalize{3e38f, -3e38f});
  const std::vector<float> wide(of_twos.data, of_twos.data + 3);
  CHECK(same_bits(wide, outputs_of(quantized, large, 1)));

  const float lowest = quantized.data()->of(0).value(0);
  same.values()[3] = std::nanf("");
  const std::vector<float> of_nan = outputs_of(quantized, same, 2);
  same.values()[3] = lowest;
  CHECK(same_bits(of_nan, outputs_of(quantized, same, 2)));
}

TEST_CASE("bad input") {
  auto net = network_of<Net>();
  CHECK(error_of([&] { quantize(net, Tensor<float, Net::InputRow>()); }) ==
        "quantize was given 0 rows; give it some that are like those of use, such as 100 of training");
  auto x = rows_of<Net>(3);
  const auto quantized = quantize(net, x);
  auto workspace = quantized.workspace(2);
  CHECK(has(last_words_of([&] { quantized.forward(x, workspace); }),
            "forward was given 3 rows and a workspace for 2; make a larger workspace"));
  CHECK(error_of([&] { quantized.workspace(0); }).starts_with("a workspace for batches of 0 rows was asked for"));
  x(1, 0, 0, 0) = INFINITY;
  CHECK(error_of([&] { quantize(net, x); }) ==
        "quantize was given a row with a number that is not finite; leave it out");
  x(1, 0, 0, 0) = 0;
  const auto labels = std::vector<int>(3, 0);
  CHECK(error_of([&] { layer_ranges(net, subset(dataset(x, labels), 0, 0)); }) ==
        "layer_ranges was given 0 rows; give it some that are like those of use, such as 100 of training");
  for (const Normalize scale : {Normalize{.scale = 0}, Normalize{.shift = NAN}})
    CHECK(error_of([&] { quantize(net, x, scale); }).starts_with("inputs were to be scaled by Normalize{"));
  auto straight = network_of<Straight>();
  for (float& weight : straight.parameter("0.weight")) weight *= 1e-3f;
  const float largest = std::numeric_limits<float>::max();
  CHECK(error_of([&] { quantize(straight, Tensor<float, Shape<3>>{-largest, largest, 0}); }) ==
        "quantize was given a network that computes -3.4028234663852886e+38 to 3.4028234663852886e+38 in layer 0, "
        "expected a range whose steps of 1/255 a float can hold; give it rows of another unit");
  for (const float tiny : {1e-40f, 1e-45f})
    CHECK(has(error_of([&] { quantize(straight, Tensor<float, Shape<3>>{0, tiny, 0}); }), " in layer 0, expected a "));
  CHECK(error_of([&] { quantize(straight, Tensor<float, Shape<3>>{0, 0, 0}); }) == "(no error)");
  const auto logarithms = network_of<Logarithm>();
  CHECK(error_of([&] { quantize(logarithms, rows_of<Logarithm>(5)); }) ==
        "quantize was given a network that computes -inf in layer 2; 8 bits need a range of finite numbers");
  auto normalized = network_of<Normalized>();
  normalized.buffers()[0].value[1] = std::nanf("");
  CHECK(error_of([&] { quantize(normalized, rows_of<Normalized>(5)); }).starts_with("quantize was given a network "));
  net.parameter("5.weight")[2] = std::nanf("");
  CHECK(error_of([&] { quantize(net, x); }) ==
        "quantize was given a network with a weight that is not finite; train it anew");
}
