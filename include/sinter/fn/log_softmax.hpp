// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/fn/softmax.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// The two parts of log sum_i e^x_i: the largest x_i, and the logarithm of the sum of e^(x_i - largest), in order.
template <class V>
struct LogSumExp {
  V largest, log_total;
  SINTER_FN LogSumExp(const V* x, int n) : largest(row_max(x, n)) {
    V total = V(0);
    for (int i = 0; i < n; ++i) total += exp(x[i] - largest);
    log_total = log(total);
  }
  /// From those exponentials.
  SINTER_FN LogSumExp(const V* x, const V* exponentials, int n) : largest(row_max(x, n)) {
    V total = V(0);
    for (int i = 0; i < n; ++i) total += exponentials[i];
    log_total = log(total);
  }
  /// ln of the share of one x_i.
  SINTER_FN V log_share(V x) const { return x - largest - log_total; }
};

/// A row functor: y_i = x_i - log sum_j e^x_j over n >= 1 numbers; y may be x.
/// dx_i = dy_i - e^y_i sum_j dy_j, in place of dy. Sums run over j in order.
struct LogSoftmax {
  using OfLibrary = LogSoftmax;
  static constexpr const char* name = "LogSoftmax";
  static constexpr OutputKind output_kind = OutputKind::log_probabilities;
  static constexpr OnnxFunctor onnx{"LogSoftmax"};

  template <class V>
  SINTER_FN static void forward(const V* x, V* y, int n) {
    const LogSumExp<V> of(x, n);
    for (int i = 0; i < n; ++i) y[i] = of.log_share(x[i]);
  }
  /// The same where y has the exponentials of x.
  template <class V>
  SINTER_FN static void forward_from(const V* x, V* y, int n) {
    const LogSumExp<V> of(x, y, n);
    for (int i = 0; i < n; ++i) y[i] = of.log_share(x[i]);
  }
  template <class V>
  SINTER_FN static void backward(const V* y, V* dy, int n) {
    V total = V(0);
    for (int i = 0; i < n; ++i) total += dy[i];
    for (int i = 0; i < n; ++i) dy[i] = fma(-exp(y[i]), total, dy[i]);
  }
  /// dx_i alone.
  template <class V>
  SINTER_FN static V gradient(const V* y, const V* dy, int n, int i) {
    V total = V(0);
    for (int j = 0; j < n; ++j) total += dy[j];
    return fma(-exp(y[i]), total, dy[i]);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
