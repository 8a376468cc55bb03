// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// The largest of n >= 1 numbers.
template <class V>
SINTER_FN V row_max(const V* x, int n) {
  V largest = x[0];
  for (int i = 1; i < n; ++i) largest = max(largest, x[i]);
  return largest;
}

/// e^(x_i - the largest x) of one of n numbers: threads that share a row compute these, then one thread `forward_from`.
template <class V>
SINTER_FN V exponential(const V* x, int n, int i) {
  return exp(x[i] - row_max(x, n));
}

/// A row functor: y_i = e^x_i / sum_j e^x_j over n >= 1 numbers; y may be x.
/// dx_i = y_i (dy_i - sum_j y_j dy_j), in place of dy. Sums run over j in order.
struct Softmax {
  using OfLibrary = Softmax;
  static constexpr const char* name = "Softmax";
  static constexpr OutputKind output_kind = OutputKind::probabilities;
  static constexpr OnnxFunctor onnx{"Softmax"};

  template <class V>
  SINTER_FN static void forward(const V* x, V* y, int n) {
    const V largest = row_max(x, n);
    V total = V(0);
    for (int i = 0; i < n; ++i) total += y[i] = exp(x[i] - largest);
    divide(y, n, total);
  }
  /// The same where y has the exponentials of x.
  template <class V>
  SINTER_FN static void forward_from(const V*, V* y, int n) {
    V total = V(0);
    for (int i = 0; i < n; ++i) total += y[i];
    divide(y, n, total);
  }
  template <class V>
  SINTER_FN static void backward(const V* y, V* dy, int n) {
    V total = V(0);
    for (int i = 0; i < n; ++i) total = fma(y[i], dy[i], total);
    for (int i = 0; i < n; ++i) dy[i] = product(y[i], dy[i] - total);
  }
  /// dx_i alone.
  template <class V>
  SINTER_FN static V gradient(const V* y, const V* dy, int n, int i) {
    V total = V(0);
    for (int j = 0; j < n; ++j) total = fma(y[j], dy[j], total);
    return product(y[i], dy[i] - total);
  }

 private:
  template <class V>
  SINTER_FN static void divide(V* y, int n, V total) {
    const V share = V(1) / total;
    for (int i = 0; i < n; ++i) y[i] = product(y[i], share);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
