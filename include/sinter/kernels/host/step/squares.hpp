// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/aligned.hpp"
#include "sinter/core/finite.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Whether a sum of squares shows that all numbers in it are finite and below 2^40. Then an update with moderate
/// options results in finite weights: see is_moderate().
template <class T>
bool squares_of_moderate(const T& sum) {
  return largest_exponent(&sum, 1) < exponent_of<T>(80);
}

/// Numbers between those of two threads, which share no line.
inline constexpr std::size_t squares_of_a_thread = 64;

/// Sums of squares of numbers, gathered by each thread as it writes them: a fused multiply-add for a pack, where a look
/// at the numbers afterwards reads them all again.
template <class T, class Array = AlignedArray<T>>
class SquaresByThread {
 public:
  void clear(int threads) {
    sums_.grow(static_cast<std::size_t>(threads) * squares_of_a_thread);
    std::fill_n(sums_.data(), sums_.size(), T(0));
  }
  /// A pack.
  T* of(int thread) { return sums_.data() + static_cast<std::size_t>(thread) * squares_of_a_thread; }
  template <class V>
  void add(int thread, V squares) {
    (V::load(of(thread)) + squares).store(of(thread));
  }
  bool moderate() const {
    T sum = T(0);
    for (std::size_t i = 0; i < sums_.size(); ++i) sum += sums_.data()[i];
    return squares_of_moderate(sum);
  }

 private:
  Array sums_;
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
