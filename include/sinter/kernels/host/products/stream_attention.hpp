// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/shape.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/kernels/host/products/matrix_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The sizes of causal attention in a stream, and what it keeps: the keys of all positions so far, [heads][key_size]
/// [padded positions], and their values, [positions][heads][value_size].
struct StreamAttention {
  static constexpr int line = 16;  // numbers: packs are read and written beyond the last one

  int heads = 0, key_size = 0, value_size = 0, positions = 0;
  double factor = 1, factor_of_sums = 1;

  constexpr int padded() const { return round_up(positions, line); }
  constexpr int values() const { return heads * value_size; }
  constexpr int kept_keys() const { return heads * key_size * padded(); }
  constexpr int kept() const { return kept_keys() + round_up(positions * values(), line) + line; }
  /// A row of weights, and the outputs.
  constexpr int scratch() const { return padded() + round_up(values(), line) + line; }
};

/// Attention of position `at` to itself and those before it, head by head:
///     y = factor_of_sums sum over i of w[i] v[i],  w = softmax(factor q k[i]),  i = 0 .. at
/// q, k [heads][key_size]  v, y [heads][value_size]; k and v are those of position `at`, and are kept. `weights` has
/// padded() numbers. In the plans for whole sequences later positions have weights of 0, which add 0 to these sums:
/// the bits are the same for finite values, but for a sum of -0, where all products underflow.
template <class Isa, class V, class T>
SINTER_SHARED void attend(const StreamAttention& a, int at, const T* q, const T* k, const T* v, T* kept, T* weights,
                          T* y) {
  constexpr int L = V::lanes;
  const int seen = at + 1, padded = a.padded(), values = a.values();
  T *const all_keys = kept, *const all_values = kept + a.kept_keys();
  for (int i = 0; i < a.heads * a.key_size; ++i) all_keys[std::ptrdiff_t{i} * padded + at] = k[i];
  std::copy_n(v, values, all_values + std::ptrdiff_t{at} * values);
  for (int head = 0; head < a.heads; ++head) {
    product_of_matrices<Isa, true, V>(MatrixSteps{1, divide_up(seen, L), a.key_size, 0, 1, padded, L},
                                      q + head * a.key_size, all_keys + std::ptrdiff_t{head} * a.key_size * padded,
                                      static_cast<T>(a.factor), weights);
    fn::Softmax::forward(static_cast<const T*>(weights), weights, seen);
    product_of_matrices<Isa, true, V>(MatrixSteps{1, divide_up(a.value_size, L), seen, 0, 1, values, L}, weights,
                                      all_values + head * a.value_size, static_cast<T>(a.factor_of_sums),
                                      y + head * a.value_size);
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
