// SPDX-License-Identifier: MIT
// int8 FILE INSTRUCTIONS: writes the constants of quantized networks, and their outputs, computed by these instructions
// and by C++ alone.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sinter/int8/quantized_network.hpp>
#include <sinter/layers/all.hpp>
#include <span>
#include <string>
#include <vector>

using namespace sinter;

namespace {

using Native = internal::int8::Native;
using Plain = internal::int8::Plain;

struct Image : Sequential<Input<3, 11, 10>, Conv2d<17, 3, Padding<1>>, BatchNorm2d<>, ReLU, MaxPool2d<2>,
                          Conv2d<17, 3, Groups<17>, Padding<1>>, ReLU6, Residual<Path<Conv2d<17, 3, Padding<1>>, SiLU>>,
                          Concat<Path<Conv2d<7, 2>>, Path<AvgPool2d<2, Stride<1>>, Tanh>>, Conv2d<8, 2, Groups<2>>,
                          Product<Path<Conv2d<5, 1>, Sigmoid>, Path<Conv2d<5, 1>>>, AdaptiveAvgPool2d<2>, Flatten,
                          Linear<33>, GELU, Linear<5>> {};
struct Series : Sequential<Input<2, 23>, Conv1d<6, 3, Causal>, ReLU, Conv1d<19, 4, Dilation<2>, Stride<3>>, LeakyReLU<>,
                           Flatten, Linear<4>> {};

template <class Number>
void write_all(std::span<const Number> numbers, std::FILE* to) {
  for (const Number one : numbers) {
    const auto number = static_cast<double>(one);
    std::fwrite(&number, sizeof number, 1, to);
  }
}

template <class Model, class Isa>
void write_outputs(const QuantizedNetwork<Model>& net, const Tensor<float, typename Model::InputRow>& x,
                   std::size_t at_once, std::FILE* to) {
  const QuantizedNetwork<Model, Isa> other(net);
  auto workspace = other.workspace(at_once);
  for (std::size_t i = 0; i < x.rows(); i += at_once) {
    const auto y = other.forward(x.view().slice(i, std::min(at_once, x.rows() - i)), workspace);
    write_all<float>({y.data, y.rows * static_cast<std::size_t>(Model::OutputRow::size)}, to);
  }
}

/// The longest sums that are allowed, of the largest products: of one row, and of as many as are computed together.
template <class Isa>
void write_longest_sums(std::FILE* to) {
  constexpr internal::int8::Runs runs{1, 0, 1, 0, internal::int8::most_products / 4 * 4};
  constexpr int panel = internal::int8::panel, group = Isa::group;
  std::vector<std::int8_t> weights(static_cast<std::size_t>(panel * runs.length));
  for (int i = 0; i < panel * runs.length; ++i) {  // [groups][panel][group]
    const int output = i / group % panel, input = i / group / panel * group + i % group;
    weights[static_cast<std::size_t>(i)] = (input / 4 + output) % 3 == 0 ? 127 : -127;
  }
  const std::vector<typename Isa::Operand> x(static_cast<std::size_t>(runs.length) + 64, 255);
  const typename Isa::Operand* row[Isa::rows];
  for (auto& one : row) one = x.data();
  std::int32_t sums[Isa::rows][panel];
  Isa::template sums<1>(row, runs, weights.data(), panel, sums);
  write_all<std::int32_t>(sums[0], to);
  Isa::template sums<Isa::rows>(row, runs, weights.data(), panel, sums);
  write_all<std::int32_t>(sums[Isa::rows - 1], to);
}

template <class Model>
void write_network(std::FILE* to) {
  const Network<Model, Reference> net{{.seed = 3}};
  Tensor<float, typename Model::InputRow> x(37);
  std::uint32_t seed = 1;
  for (float& one : x.values()) {
    seed = seed * 1664525u + 1013904223u;
    one = static_cast<float>(seed >> 8) / 8388608.0f - 1;
  }
  const auto quantized = quantize(net, x);
  write_all<std::int8_t>(quantized.data()->weights, to);
  write_all<std::int32_t>(quantized.data()->numbers, to);
  write_all<std::uint8_t>(quantized.data()->tables, to);
  write_outputs<Model, Native>(quantized, x, 37, to);
  for (const std::size_t at_once : {1u, 2u, 3u}) write_outputs<Model, Native>(quantized, x, at_once, to);
  write_outputs<Model, Plain>(quantized, x, 7, to);
}

}  // namespace

int main(int, char** arguments) {
  if (std::string(arguments[2]) != Native::name) {
    std::fprintf(stderr, "%s were expected, and %s are used\n", arguments[2], Native::name);
    return 1;
  }
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  write_longest_sums<Native>(to);
  write_network<Image>(to);
  write_network<Series>(to);
  return std::fclose(to);
}
