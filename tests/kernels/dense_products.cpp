// SPDX-License-Identifier: MIT
// labels: optimised
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/kernels/host/products/product_of_tiles.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "support/random_numbers.hpp"

// The kernels of dense layers by their shapes alone, without a model: each sum is one chain of fma in the order of its
// terms, so their bits are known.
using namespace sinter::internal;
using namespace sinter::internal::host_kernels;

namespace {
using Isa = isa::Native;
constexpr int lanes = Isa::vector_bytes / 4;
using V = Pack<float, lanes>;

std::size_t size(int a, int b = 1, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

/// ReLU(A x + start) for `tiles` tiles, whose packs are `gap` packs apart; A is read by columns, or by rows.
template <int Rows, int Terms>
void check_product(int tiles, bool by_columns, bool starts) {
  CAPTURE(Rows);
  CAPTURE(Terms);
  CAPTURE(tiles);
  CAPTURE(by_columns);
  const auto parameters = random_numbers(size(Rows, Terms + 1), 1);
  const float *const a = parameters.data(), *const start = a + Rows * Terms;
  const int packs = Rows + Terms + 1;
  const std::ptrdiff_t stride = packs * lanes;
  using Blocks = BlocksOfProduct<Isa, V, Rows>;
  using Map = MapOfTiles<fn::Relu, false, float>;
  const GroupProduct<Isa, float> product{.rows = Rows,
                                         .terms = Terms,
                                         .row = by_columns ? 1 : Terms,
                                         .column = by_columns ? Rows : 1,
                                         .weight = 0,
                                         .bias = starts ? Rows * Terms : -1,
                                         .x = 0,
                                         .to = Terms * lanes,
                                         .saved = 0,
                                         .many = Blocks::many,
                                         .one = Blocks::one};
  std::vector<float> waiting(size(tiles, round_up(rows_of_block, 12), lanes));
  const auto before = random_numbers(size(tiles, packs, lanes), 3);

  const auto run = [&](auto multiply) {
    auto memory = before;
    multiply(GroupMemory<float>{memory.data(), parameters.data(), stride, tiles, waiting.data()});
    return memory;
  };
  const auto shared = run([&](const auto& group) { shared_group_product<Isa, V, Map>(product, group); });
  const auto constant = run([&](const auto& group) {
    multiply_tiles_with<Isa, V>(product.in(group), Blocks::constant_many, Blocks::constant_one,
                                Map{group.tiles + product.to, nullptr, stride});
  });
  auto expected = before;
  for (int t = 0; t < tiles; ++t)
    for (int m = 0; m < Rows; ++m)
      for (int lane = 0; lane < lanes; ++lane) {
        float sum = starts ? start[size(m)] : 0;
        for (int k = 0; k < Terms; ++k)
          sum = std::fma(a[by_columns ? size(k, Rows) + size(m) : size(m, Terms) + size(k)],
                         before[size(t * packs + k, lanes) + size(lane)], sum);
        expected[size(t * packs + Terms + m, lanes) + size(lane)] = sum > 0 ? sum : 0;
      }
  CHECK(shared == expected);
  CHECK(constant == expected);
}
template <int Rows, int Terms>
void check_products() {
  for (const int tiles : {1, 2, 3, 4, 5, 9, 17}) {
    check_product<Rows, Terms>(tiles, false, true);
    check_product<Rows, Terms>(tiles, true, false);
  }
}

/// dW and db of a batch of `samples` samples.
template <int In, int Out, bool Adds>
void check_gradient(int samples) {
  CAPTURE(In);
  CAPTURE(Out);
  CAPTURE(samples);
  const int tiles = divide_up(samples, lanes), packs = In + Out;
  const auto memory = random_numbers(size(tiles, packs, lanes), 4);
  const auto weight_before = random_numbers(size(Out, In) + lanes, 5), bias_before = random_numbers(size(Out), 6);
  auto weight = weight_before, bias = bias_before;
  std::vector<float> rows(size(tiles, lanes, panel<Isa, V>)), squares(size(lanes));
  const BatchOperands<float> batch{memory.data(), memory.data() + In * lanes, packs * lanes, tiles, samples};
  for (int first = 0; first < In; first += panel<Isa, V>)
    batch_weight_gradient<Isa, V>(batch, product_of_batch<Isa, V, In, Out, Adds>(true), first, rows.data(),
                                  weight.data(), bias.data(), squares.data());

  const auto at = [&](int sample, int pack) {
    return memory[size(sample / lanes * packs + pack, lanes) + size(sample % lanes)];
  };
  auto expected = weight_before;
  double sum_of_squares = 0;
  for (int m = 0; m < Out; ++m)
    for (int k = 0; k < In; ++k) {
      float sum = 0;
      for (int n = 0; n < samples; ++n) sum = std::fma(at(n, In + m), at(n, k), sum);
      float& to = expected[size(m, In) + size(k)];
      to = Adds ? to + sum : sum;
      sum_of_squares += static_cast<double>(sum) * static_cast<double>(sum);
    }
  CHECK(weight == expected);
  for (int m = 0; m < Out; ++m) {
    double sum = Adds ? static_cast<double>(bias_before[size(m)]) : 0;
    for (int n = 0; n < tiles * lanes; ++n)
      sum += static_cast<double>(at(n, In + m));  // beyond the last sample dy is 0
    CHECK(static_cast<double>(bias[size(m)]) == doctest::Approx(sum).epsilon(1e-4));
  }
  double noted = 0;
  for (const float x : squares) noted += static_cast<double>(x);
  CHECK(noted >= 0.99 * sum_of_squares);  // rows of overlapping blocks count twice
}
template <int In, int Out>
void check_gradients() {
  for (const int samples : {1, lanes, lanes + 3, 5 * lanes - 1}) {
    check_gradient<In, Out, false>(samples);
    check_gradient<In, Out, true>(samples);
  }
}
}  // namespace

TEST_CASE("products of a matrix with tiles") {
  check_products<1, 1>();
  check_products<2, 7>();
  check_products<5, 1>();
  check_products<13, 129>();
  check_products<193, 3>();
  check_products<200, 130>();
  check_products<300, 31>();
}

TEST_CASE("gradients of weights from the whole batch") {
  check_gradients<1, 1>();
  check_gradients<7, 3>();
  check_gradients<33, 9>();
  check_gradients<40, 24>();
  check_gradients<65, 13>();
}
