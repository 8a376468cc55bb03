// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/plan/place.hpp"
#include "sinter/kernels/host/products/tile_product.hpp"
#include "sinter/kernels/host/stages/matmul.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Whether the gradients of all parameters are taken from the whole batch at once.
template <class Plan>
inline constexpr bool all_of_batch = [] {
  bool all = Plan::layered;
  for (int i = 0; i < Plan::Ops::parameter_count; ++i) all = all && Plan::parameter_of_batch(i);
  return all;
}();

/// Operands of the weights' gradients of a batch that a tile keeps, in packs: of each such product its input, and the
/// gradient of its output. By the plan `layer` a tile keeps all of its memory instead.
template <class Plan>
struct Operands {
  static constexpr int input(int s) { return before(s); }
  static constexpr int gradient(int s) { return before(s) + Plan::source(s).in.size(); }
  static constexpr int before(int s) {
    int count = 0;
    for (int i = 0; i < s; ++i)
      if (!Plan::layered && Plan::of_batch(i)) count += Plan::source(i).in.size() + Plan::source(i).out.size();
    return count;
  }
  static constexpr int packs = before(Plan::stage_count);
  /// Numbers from one tile's to the next.
  static constexpr std::ptrdiff_t stride = packs == 0 ? 0 : tile_stride(packs, Plan::lanes);
};

/// Columns of a weight's gradient that are worked on together.
template <class Isa, class V>
inline constexpr int panel = batch_packs(Isa::registers) * V::lanes;

/// Numbers that the weights' gradients of a batch need to transpose a panel of inputs to rows.
template <class Plan>
constexpr std::size_t transposed_size(int tiles) {
  return static_cast<std::size_t>(tiles) * Plan::lanes *
         static_cast<std::size_t>(panel<typename Plan::ISA, typename Plan::V>);
}

/// Stores the operands of the product of stage S for the end of the step.
template <class Tile, int S>
void store_operands(const Tile& tile) {
  using P = typename Tile::Plan;
  using To = Operands<P>;
  constexpr int L = Tile::lanes;
  std::copy_n(flat_input<Tile, S>(tile), P::source(S).in.size() * L, tile.operands + To::input(S) * L);
  std::copy_n(tile.at(Tile::gradient_of(S).begin()), P::source(S).out.size() * L, tile.operands + To::gradient(S) * L);
}

/// The operands of a product for a batch: of its first tile, the next ones `stride` numbers apart.
template <class T>
struct BatchOperands {
  const T *x, *dy;
  std::ptrdiff_t stride;
  int tiles, samples;
};

/// db = the sum of dy over a batch: `Rows` of its rows, so that the adds of one need not wait for one another. Each is
/// added to the existing numbers if it `adds`, and its square to `squares`.
template <int Rows, class V, class T>
SINTER_INLINE void bias_gradient(const BatchOperands<T>& batch, int row, bool adds, T* gradient, T* squares) {
  V sum[Rows];
  unroll<Rows>([&](int m) SINTER_LAMBDA { sum[m] = V(0); });
  const T* dy = batch.dy + row * V::lanes;
  for (int i = 0; i < batch.tiles; ++i, dy += batch.stride)
    unroll<Rows>([&](int m) SINTER_LAMBDA { sum[m] = add(sum[m], V::load(dy + m * V::lanes)); });
  unroll<Rows>([&](int m) SINTER_LAMBDA {
    T& db = gradient[row + m];
    db = adds ? db + fn::sum(sum[m]) : fn::sum(sum[m]);
    squares[0] += db * db;
  });
}

/// `rows` rows of dW, and the packs of columns that the kernel is for.
template <class T>
struct OuterBlock {
  int rows = 1;
  void (*add)(OuterProduct<T>, T* to, std::ptrdiff_t row, int columns, T* squares, int added) = nullptr;
};
template <class Isa, class V, int Rows, int K, bool Adds, class T = scalar_of<V>>
inline constexpr OuterBlock<T> outer_block{block_of<Isa>(Rows, K),
                                           &outer_product_of_batch<Isa, block_of<Isa>(Rows, K), K, Adds, V, T>};

/// A product whose weight gets its gradient from the whole batch.
template <class T>
struct ProductOfBatch {
  int in = 0, out = 0;
  bool with_bias = false, adds = false;  // to the existing gradient
  OuterBlock<T> panel{}, rest{};         // of whole panels of columns, and of a last one that is narrower
};
template <class Isa, class V, int In, int Out, bool Adds, class T = scalar_of<V>>
constexpr ProductOfBatch<T> product_of_batch(bool with_bias) {
  constexpr int L = V::lanes, width = panel<Isa, V>;
  constexpr int rest = In % width > width - L ? 0 : divide_up(In % width, L);
  ProductOfBatch<T> product{In, Out, with_bias, Adds};
  if constexpr (In > width - L) product.panel = outer_block<Isa, V, Out, width / L, Adds>;
  if constexpr (rest > 0) product.rest = outer_block<Isa, V, Out, rest, Adds>;
  return product;
}

/// dW of columns [first, first + panel), and with the first of them db. The squares of the results are added to
/// `squares`.
template <class Isa, class V, class T>
SINTER_SHARED void batch_weight_gradient(const BatchOperands<T>& given, const ProductOfBatch<T>& of, int first, T* rows,
                                         T* weight, T* bias, T* squares) {
  const BatchOperands<T> batch = given;  // copies: what a reference leads to is loaded again after every store
  const ProductOfBatch<T> product = of;
  constexpr int L = V::lanes, width = panel<Isa, V>;
  const int columns = std::min(width, product.in - first);
  const T* const x = batch.x + static_cast<std::ptrdiff_t>(first) * L;
  for (int i = 0; i < batch.tiles; ++i)
    for (int k = 0; k < columns; k += L)
      transposed_copy<V>(
          [&](int n) SINTER_LAMBDA { return k + n < columns ? V::load(x + i * batch.stride + (k + n) * L) : V(0); },
          [&](int sample, V row) SINTER_LAMBDA { row.store(rows + (i * L + sample) * width + k); });
  T* const to = weight + first;
  const OuterBlock<T> block = columns > width - L ? product.panel : product.rest;
  for (int begin = 0; begin < product.out; begin += block.rows) {
    const int m = std::min(begin, product.out - block.rows);
    block.add(OuterProduct<T>{batch.dy + m * L, batch.stride, rows, width, batch.samples},
              to + static_cast<std::ptrdiff_t>(m) * product.in, product.in, columns, squares, begin - m);
  }
  if (!product.with_bias || first != 0) return;
  int m = 0;
  for (; m + 8 <= product.out; m += 8) bias_gradient<8, V>(batch, m, product.adds, bias, squares);
  for (; m < product.out; ++m) bias_gradient<1, V>(batch, m, product.adds, bias, squares);
}

/// The products of a plan, stage by stage.
template <class Plan>
struct ProductsOfBatch {
  using T = typename Plan::Scalar;
  struct Stage {
    ProductOfBatch<T> product{};
    int weight = 0, bias = 0;  // in the arena
    int panels = 0;            // of a weight that later stages share: with the last of them
    int before = -1;           // the stage before that shares the weight
  };
  static constexpr int count = Plan::stage_count;

 private:
  template <int S>
  static constexpr Stage at() {
    if constexpr (!Plan::of_batch(S)) {
      return {};
    } else {
      using V = typename Plan::V;
      using Isa = typename Plan::ISA;
      constexpr bool again = Plan::Cut::gives_again(S);
      constexpr Op op = Plan::source(S);
      Stage stage{product_of_batch<Isa, V, op.in.size(), op.out.size(), again>(op.with_bias),
                  Plan::parameter(Plan::source(S).weight).offset};
      if (op.with_bias) stage.bias = Plan::parameter(Plan::source(S).bias).offset;
      if (!again) stage.panels = divide_up(op.in.size(), panel<Isa, V>);
      for (int other = 0; other < S; ++other)
        if (Plan::Cut::share_parameters(S, other)) stage.before = other;
      return stage;
    }
  }

 public:
  static constexpr auto stages = []<int... S>(std::integer_sequence<int, S...>) {
    return std::array<Stage, sizeof...(S) + 1>{at<S>()..., Stage{}};
  }(std::make_integer_sequence<int, count>{});
  static constexpr int panels = [] {
    int n = 0;
    for (const Stage& stage : stages) n += stage.panels;
    return n;
  }();
};

template <class Plan>
inline constexpr int panels_of_batch = ProductsOfBatch<Plan>::panels;

/// work(thread, stage, first column) for the panels [first, last) of such products, over the threads of a pool or
/// `alone`. A panel of shared weights is computed by one thread, stage by stage in reverse.
template <class Plan, class Pool, class Work>
void for_each_panel(const Pool& pool, bool alone, int first, int last, Work&& work) {
  using Products = ProductsOfBatch<Plan>;
  constexpr int width = panel<typename Plan::ISA, typename Plan::V>;
  const auto one = [&](int thread, int part) {
    int s = 0;
    for (; part >= Products::stages[static_cast<std::size_t>(s)].panels; ++s)
      part -= Products::stages[static_cast<std::size_t>(s)].panels;
    for (; s >= 0; s = Products::stages[static_cast<std::size_t>(s)].before) work(thread, s, part * width);
  };
  if (alone)
    for (int part = first; part < last; ++part) one(0, part);
  else
    pool.run(last - first, [&](int thread, int part) { one(thread, first + part); });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
