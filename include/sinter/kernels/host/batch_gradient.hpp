// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/group_product.hpp"
#include "sinter/kernels/host/matmul.hpp"
#include "sinter/kernels/host/watch.hpp"

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
  /// Numbers from one tile's to the next: not a multiple of a page, as `memory_stride`.
  static constexpr std::ptrdiff_t stride = packs == 0 ? 0 : round_up(packs * Plan::lanes, 1024) + 80;
};

/// Columns of a weight's gradient that are worked on together.
template <class Isa, class V>
inline constexpr int panel = (Isa::registers == 32 ? 4 : 2) * V::lanes;

/// Numbers that the weights' gradients of a batch need to transpose a panel of inputs to rows.
template <class Plan>
constexpr std::size_t turned_size(int tiles) {
  return static_cast<std::size_t>(tiles) * Plan::lanes *
         static_cast<std::size_t>(panel<typename Plan::ISA, typename Plan::V>);
}

/// Leaves the operands of the product of stage S for the end of the step.
template <class Tile, int S>
void leave_operands(const Tile& tile) {
  using P = typename Tile::Plan;
  using To = Operands<P>;
  constexpr int L = Tile::lanes;
  std::copy_n(flat_input<Tile, S>(tile), P::source(S).in.size() * L, tile.operands + To::input(S) * L);
  std::copy_n(tile.at(Tile::gradient_of(S).offset), P::source(S).out.size() * L, tile.operands + To::gradient(S) * L);
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
  unroll<Rows>([&](auto m) SINTER_LAMBDA { sum[m] = V(0); });
  const T* dy = batch.dy + row * V::lanes;
  for (int i = 0; i < batch.tiles; ++i, dy += batch.stride)
    unroll<Rows>([&](auto m) SINTER_LAMBDA { sum[m] = add(sum[m], V::load(dy + decltype(m)::value * V::lanes)); });
  unroll<Rows>([&](auto m) SINTER_LAMBDA {
    T& db = gradient[row + decltype(m)::value];
    db = adds ? db + fn::sum(sum[m]) : fn::sum(sum[m]);
    squares[0] += db * db;
  });
}

/// dW of columns [first, first + panel) of the product of stage S, and with the first of them db. Where weights are
/// shared, the last one in the network gives first. The squares of what is written are added to `squares`.
template <class P, int S, class T>
void batch_weight_gradient(const BatchOperands<T>& batch, int first, T* rows, T* gradient, T* squares) {
  using V = typename P::V;
  using Isa = typename P::ISA;
  constexpr Op op = P::source(S);
  constexpr bool adds = P::Cut::gives_again(S);
  [[maybe_unused]] const Watch<Isa> watch(Part::batch_gradient, S);
  constexpr int in = op.in.size(), out = op.out.size(), L = P::lanes, width = panel<Isa, V>;
  const int columns = std::min(width, in - first);
  const T* const x = batch.x + static_cast<std::ptrdiff_t>(first) * L;
  for (int i = 0; i < batch.tiles; ++i)
    for (int k = 0; k < columns; k += L)
      transposed_copy<V>(
          [&](int n) SINTER_LAMBDA {
            return in % L == 0 || k + n < columns ? V::load(x + i * batch.stride + (k + n) * L) : V(0);
          },
          [&](int sample, V row) SINTER_LAMBDA { row.store(rows + (i * L + sample) * width + k); });
  T* const to = gradient + P::parameter(op.weight).offset + first;
  const auto packs = [&](auto count) SINTER_LAMBDA {
    constexpr int K = decltype(count)::value, M = block_of<Isa>(out, K);
    for (int block = 0; block < out; block += M) {
      const int m = std::min(block, out - M);
      outer_product_of_batch<Isa, M, K, adds, V>(batch.dy + m * L, batch.stride, rows, width, batch.samples,
                                                 to + static_cast<std::ptrdiff_t>(m) * in, in, columns, squares,
                                                 block - m);
    }
  };
  constexpr int rest = in % width > width - L ? 0 : divide_up(in % width, L);  // packs of a last panel that is narrower
  if constexpr (in > width - L)
    if (columns > width - L) packs(std::integral_constant<int, width / L>{});
  if constexpr (rest > 0)
    if (columns <= rest * L) packs(std::integral_constant<int, rest>{});
  if constexpr (op.with_bias)
    if (first == 0) {
      T* const db = gradient + P::parameter(op.bias).offset;
      constexpr int in_eights = out / 8 * 8;
      for (int m = 0; m < in_eights; m += 8) bias_gradient<8, V>(batch, m, adds, db, squares);
      if constexpr (out > in_eights) bias_gradient<out - in_eights, V>(batch, in_eights, adds, db, squares);
    }
}

/// Panels of all such products. Those of shared weights count once.
template <class Plan>
inline constexpr int panels_of_batch = [] {
  int n = 0;
  for (int s = 0; s < Plan::stage_count; ++s)
    if (Plan::of_batch(s) && !Plan::Cut::gives_again(s))
      n += divide_up(Plan::source(s).in.size(), panel<typename Plan::ISA, typename Plan::V>);
  return n;
}();

/// work(thread, stage, first column) for each panel of each such product, over the threads of a pool or `alone`. A
/// panel of shared weights is computed by one thread, stage by stage in reverse.
template <class Plan, class Pool, class Work>
void for_each_panel(const Pool& pool, bool alone, Work&& work) {
  constexpr int width = panel<typename Plan::ISA, typename Plan::V>, panels = panels_of_batch<Plan>;
  const auto one = [&](int thread, int part) {
    unroll<Plan::stage_count>([&](auto s) SINTER_LAMBDA {
      constexpr int S = decltype(s)::value;
      if constexpr (Plan::of_batch(S) && !Plan::Cut::gives_again(S)) {
        constexpr int own = divide_up(Plan::source(S).in.size(), width);
        if (part >= 0 && part < own) {
          work(thread, s, part * width);
          unroll<S>([&](auto before) SINTER_LAMBDA {
            constexpr int other = decltype(s)::value - 1 - decltype(before)::value;
            if constexpr (Plan::Cut::share_parameters(decltype(s)::value, other))
              work(thread, std::integral_constant<int, other>{}, part * width);
          });
        }
        part -= own;
      }
    });
  };
  if (alone)
    for (int part = 0; part < panels; ++part) one(0, part);
  else
    pool.run(panels, one);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
