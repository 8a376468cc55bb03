// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// y = f(a, b), n numbers.
template <class F, class T>
void elementwise_forward(const T* a, const T* b, std::size_t n, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = F::forward(a[i], b[i]);
}
/// Adds to the gradients of a and b, which may be the same value.
template <class F, class T>
void elementwise_backward(const T* a, const T* b, const T* dy, std::size_t n, T* da, T* db) {
  for (std::size_t i = 0; i < n; ++i) {
    T first, second;
    F::backward(a[i], b[i], dy[i], first, second);
    db[i] += second;
    da[i] += first;
  }
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
