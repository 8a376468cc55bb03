// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/group.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Whether the gradients of all parameters are taken from the whole batch at once: all are of products.
template <class Plan>
inline constexpr bool all_of_batch = [] {
  bool all = Plan::layered;
  for (const Parameter& p : Plan::Ops::parameters) all = all && Plan::op(p.op).kind == OpKind::product;
  return all;
}();

/// Columns of a weight's gradient that are worked on together.
template <class Isa, class V>
inline constexpr int panel = (Isa::registers == 32 ? 4 : 2) * V::lanes;

/// Numbers that the weights' gradients of a batch need to turn a panel of inputs to rows.
template <class Tile>
constexpr std::size_t turned_size(int tiles) {
  return static_cast<std::size_t>(tiles) * Tile::lanes *
         static_cast<std::size_t>(panel<typename Tile::Plan::ISA, typename Tile::V>);
}

/// dW of columns [first, first + panel) of a product, and with the first of them db: `group` is the whole batch. Where
/// weights are shared, what stands behind in the network gives first.
template <class Group, int S, class T>
void batch_weight_gradient(const Group& group, int samples, int first, T* turned, T* gradient) {
  using Tile = typename Group::Tile;
  using V = typename Tile::V;
  using P = typename Tile::Plan;
  using Isa = typename P::ISA;
  constexpr Op op = P::source(S);
  constexpr bool adds = P::Cut::gives_again(S);
  constexpr int in = op.in.size(), out = op.out.size(), L = Tile::lanes, width = panel<Isa, V>;
  const int columns = std::min(width, in - first);
  const T* const dy = group.first.at(Tile::gradient_of(S).offset);
  const T* const x = group.first.at(Tile::input(S).offset + first);
  for (int i = 0; i < group.count; ++i)
    for (int k = 0; k < columns; k += L) {
      V block[L];
      unroll<L>([&](auto n) SINTER_LAMBDA {
        constexpr int N = decltype(n)::value;
        block[N] = k + N < columns ? V::load(x + i * group.stride + (k + N) * L) : V(0);
      });
      transpose(block);
      unroll<L>([&](auto n) SINTER_LAMBDA { block[n].store(turned + (i * L + decltype(n)::value) * width + k); });
    }
  T* const to = gradient + P::parameter(op.weight).offset + first;
  const auto packs = [&](int k, auto count) SINTER_LAMBDA {
    constexpr int K = decltype(count)::value, M = block_of<Isa>(out, K);
    for (int block = 0; block < out; block += M) {
      const int m = std::min(block, out - M);
      outer_product_of_batch<Isa, M, K, adds, V>(dy + m * L, group.stride, turned + k, width, samples,
                                                 to + static_cast<std::ptrdiff_t>(m) * in + k, in, columns - k,
                                                 block - m);
    }
  };
  int k = 0;
  if (columns > width - L) {
    packs(0, std::integral_constant<int, width / L>{});
    k = width;
  }
  for (; k + L < columns; k += 2 * L) packs(k, std::integral_constant<int, 2>{});
  for (; k < columns; k += L) packs(k, std::integral_constant<int, 1>{});
  if constexpr (op.with_bias)
    if (first == 0)
      for (int m = 0; m < out; ++m) {
        V sum(0);
        for (int i = 0; i < group.count; ++i) sum = add(sum, V::load(dy + i * group.stride + m * L));
        T& db = gradient[P::parameter(op.bias).offset + m];
        db = adds ? db + fn::sum(sum) : fn::sum(sum);
      }
}

/// work(thread, stage, first column) for each panel of each product, over the threads of a pool or `alone`. A panel of
/// shared weights is worked on by one thread, for one stage after another from behind.
template <class Tile, class Pool, class Work>
void for_each_panel(const Pool& pool, bool alone, Work&& work) {
  using P = typename Tile::Plan;
  constexpr int width = panel<typename P::ISA, typename Tile::V>;
  constexpr int panels = [] {
    int n = 0;
    for (int s = 0; s < P::stage_count; ++s)
      if (P::stage(s).source == Source::matmul && !P::Cut::gives_again(s))
        n += divide_up(P::source(s).in.size(), width);
    return n;
  }();
  const auto one = [&](int thread, int part) {
    unroll<P::stage_count>([&](auto s) SINTER_LAMBDA {
      constexpr int S = decltype(s)::value;
      if constexpr (P::stage(S).source == Source::matmul && !P::Cut::gives_again(S)) {
        constexpr int own = divide_up(P::source(S).in.size(), width);
        if (part >= 0 && part < own) {
          work(thread, s, part * width);
          unroll<S>([&](auto before) SINTER_LAMBDA {
            constexpr int other = decltype(s)::value - 1 - decltype(before)::value;
            if constexpr (P::Cut::share_parameters(decltype(s)::value, other))
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
