// SPDX-License-Identifier: MIT
// labels: processor
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <sinter/int8.hpp>
#include <vector>

using namespace sinter::internal;

namespace {

std::mt19937 engine{7};
int any(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine); }

/// Rows of a product, its weights in panels, and its sums in 64 bits by one loop.
struct Case {
  int rows, inputs, outputs;
  std::vector<std::uint8_t> x;
  std::vector<std::int8_t> weights;
  std::vector<std::int64_t> sums;
  int8::Runs runs;

  Case(int rows_, int inputs_, int outputs_, bool extreme)
      : rows(rows_), inputs(inputs_), outputs(outputs_), runs{1, 0, 1, 0, inputs_} {
    const int panels = (outputs + 15) / 16, bytes = runs.groups_of(4) * 64;
    for (int i = 0; i < rows * inputs + 64; ++i) x.push_back(static_cast<std::uint8_t>(extreme ? 255 : any(0, 255)));
    weights.assign(static_cast<std::size_t>(panels * bytes), 0);
    sums.assign(static_cast<std::size_t>(rows * outputs), 0);
    for (int o = 0; o < outputs; ++o)
      for (int k = 0; k < inputs; ++k) {
        const int w = extreme ? (o % 2 ? 127 : -127) : any(-127, 127);
        const int at = o / 16 * bytes + k / 4 * 64 + o % 16 * 4 + k % 4;
        weights[static_cast<std::size_t>(at)] = static_cast<std::int8_t>(w);
        for (int r = 0; r < rows; ++r)
          sums[static_cast<std::size_t>(r * outputs + o)] += w * x[static_cast<std::size_t>(r * inputs + k)];
      }
  }

  /// By an instruction set, in 8 bits: [rows][outputs].
  template <class Isa>
  std::vector<std::uint8_t> run(const std::vector<std::int32_t>& numbers, const int8::Rescale& rescale) const {
    const std::vector<typename Isa::Operand> operand(x.begin(), x.end());
    int8::Geometry g;
    g.inputs = g.channels = inputs;
    g.outputs = outputs;
    g.runs = runs;
    std::vector<std::uint8_t> y(static_cast<std::size_t>(rows * outputs + 16));
    std::vector<std::int8_t> panels = weights;
    if (Isa::group != int8::kept_group) int8::regroup<Isa>(g, weights.data(), panels.data());
    int8::product<Isa>(g, operand.data(), {rows, rows, 0, inputs},
                       {panels.data(), numbers.data(), numbers.data() + numbers.size() / 2, rescale}, y.data(),
                       outputs);
    y.resize(static_cast<std::size_t>(rows * outputs));
    return y;
  }
};

/// floor(x m / 2^shift + 1 / 2), the definition, in 128 bits.
std::int64_t rounded(std::int64_t x, std::int64_t m, int shift) {
  __extension__ using Wide = __int128;
  const Wide twice = 2 * static_cast<Wide>(x) * m + (static_cast<Wide>(1) << shift), by = static_cast<Wide>(2) << shift;
  return static_cast<std::int64_t>(twice / by - (twice % by < 0));
}

template <class Isa>
void check(const Case& of) {
  const int padded = (of.outputs + 15) / 16 * 16;
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(2 * padded));
  for (int o = 0; o < padded; ++o) {
    numbers[static_cast<std::size_t>(o)] = any(-1000000, 1000000);
    numbers[static_cast<std::size_t>(padded + o)] = any(0, 5) == 0 ? 0 : any(1 << 20, 2147483647);
  }
  int8::Rescale rescale{any(32, 62), any(0, 255), 0, 255};
  if (any(0, 1)) rescale.shift = 32 + of.inputs % 12 + 6;
  if (any(0, 1)) rescale.low = rescale.zero;
  const std::vector<std::uint8_t> y = of.run<Isa>(numbers, rescale);
  bool same = true;
  for (int i = 0; i < of.rows * of.outputs; ++i) {
    const auto o = static_cast<std::size_t>(i % of.outputs);
    const std::int64_t q = rescale.zero + rounded(of.sums[static_cast<std::size_t>(i)] + numbers[o],
                                                  numbers[static_cast<std::size_t>(padded) + o], rescale.shift);
    const std::int64_t wanted = std::clamp<std::int64_t>(q, rescale.low, rescale.high);
    same = same && y[static_cast<std::size_t>(i)] == wanted;
  }
  CAPTURE(Isa::name);
  CAPTURE(of.rows);
  CAPTURE(of.inputs);
  CAPTURE(of.outputs);
  CHECK(same);
}

}  // namespace

TEST_CASE("products of 8 bits are those of 64, by all instruction sets") {
  MESSAGE("instructions: ", int8::Native::name);
  for (const int inputs : {1, 3, 4, 7, 16, 25, 288, 1027})
    for (const int outputs : {1, 7, 8, 9, 16, 17, 40})
      for (const int rows : {1, 2, 3, 4, 5, 8, 9, 33}) {
        const Case of(rows, inputs, outputs, false);
        check<int8::Plain>(of);
#if defined(__AVX2__)
        check<int8::Avx2>(of);
#elif defined(__aarch64__)
        check<int8::Neon>(of);
#endif
        check<int8::Native>(of);
      }
}

TEST_CASE("the longest sums allowed do not overflow") {
  const Case of(9, int8::most_products, 3, true);
  check<int8::Plain>(of);
  check<int8::Native>(of);
  CHECK(2 * std::int64_t{int8::most_products} * 255 * 127 <= INT32_MAX);
}

TEST_CASE("a quantization has an exact zero and covers its range") {
  for (const auto& [low, high] :
       std::vector<std::pair<double, double>>{{0, 1}, {-1, 1}, {-3.7, 0.2}, {2, 5}, {-5, -2}}) {
    const auto q = int8::Quantization::of_range(low, high);
    CHECK(q.value(q.nearest(0)) == 0.0f);
    const double step = static_cast<double>(q.scale);
    for (const double x : {low, high, 0.5 * (low + high)})
      CHECK(std::abs(static_cast<double>(q.value(q.nearest(x))) - x) <= step * 0.51);
    CHECK(q.nearest(std::nan("")) == 0);
    CHECK(q.nearest(1e300) == 255);
    CHECK(q.nearest(-1e300) == 0);
  }
  CHECK(int8::Quantization::of_range(0, 0) == int8::Quantization{});
}
