// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/step/tile_group.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Some outputs of a Linear.   dy [rows][outputs]  weight [outputs][inputs]
template <class T>
struct OutputsOfLinear {
  const T *dy, *weight;
  int outputs, inputs;
  int first = 0, end = outputs;  // of them that are added
};

/// dx[row][k] += sum over the outputs of dy W, of M rows and N packs: one chain of fma in the order of the outputs,
/// which goes on where it `continues`, and begins at 0 otherwise. dx [rows][inputs]
template <class Isa, int M, int N, class V, class T>
SINTER_SHARED void continue_block_of_gradient(const OutputsOfLinear<T>& of, int row, int k, bool continues, T* dx) {
  const std::ptrdiff_t in = of.inputs, out = of.outputs;
  const T *dy = of.dy + row * out, *weight = of.weight + k;
  T* const to = dx + row * in + k;
  V sum[M][N];
  unroll<M>([&](int m) SINTER_LAMBDA {
    unroll<N>([&](int n) SINTER_LAMBDA { sum[m][n] = continues ? V::load(to + m * in + n * V::lanes) : V(0); });
  });
  host_kernels::contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (std::ptrdiff_t o = of.first; o < of.end; ++o) f(o);
      },
      [&](int m, std::ptrdiff_t o) SINTER_LAMBDA { return V(dy[m * out + o]); },
      [&](int n, std::ptrdiff_t o) SINTER_LAMBDA { return V::load(weight + o * in + n * V::lanes); });
  unroll<M>([&](int m) SINTER_LAMBDA {
    unroll<N>([&](int n) SINTER_LAMBDA { sum[m][n].store(to + m * in + n * V::lanes); });
  });
}

/// The same of all rows and inputs, the inputs spread over threads. The weight is read in blocks, which the second
/// cache holds until all rows have read them, even if its rows share a set.
template <class Isa, class V, class T>
void continue_input_gradient(const ThreadPool& pool, const OutputsOfLinear<T>& of, int rows, bool continues, T* dx) {
  constexpr int M = host_kernels::ranks_rows(Isa::registers), N = host_kernels::batch_packs(Isa::registers);
  constexpr int L = V::lanes;
  const auto columns = [&]<class Pack, int Packs>(int k) {
    auto block = of;
    for (block.first = 0; block.first < of.outputs; block.first = block.end) {
      block.end = std::min(of.outputs, block.first + host_kernels::terms_of_block);
      const bool goes_on = continues || block.first > 0;
      int row = 0;
      for (; row + M <= rows; row += M) continue_block_of_gradient<Isa, M, Packs, Pack>(block, row, k, goes_on, dx);
      for (; row < rows; ++row) continue_block_of_gradient<Isa, 1, Packs, Pack>(block, row, k, goes_on, dx);
    }
  };
  const int panels = of.inputs / (N * L), rest = panels * N * L;
  pool.run(panels + 1, [&](int, int panel) {
    if (panel < panels) return columns.template operator()<V, N>(panel * N * L);
    int k = rest;
    for (; k + L <= of.inputs; k += L) columns.template operator()<V, 1>(k);
    for (; k < of.inputs; ++k) columns.template operator()<Pack<T, 1>, 1>(k);
  });
}

}  // namespace detail

SINTER_NAMESPACE_END
