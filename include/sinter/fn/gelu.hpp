// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/normal_distribution.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x Phi(x), Phi being the share of the normal distribution below x.   dx = dy (Phi(x) + x phi(x)).
struct Gelu {
  using OfLibrary = Gelu;
  static constexpr const char* name = "GELU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"x erf"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return product(x, NormalDistribution<V>(x).below);
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const NormalDistribution<V> normal(x);
    return product(dy, fma(x, normal.density, normal.below));
  }
};

/// PyTorch's approximate='tanh': y = x (1 + tanh u(x)) / 2 = x s, u(x) = sqrt(2 / pi) (x + 0.044715 x^3), s = sigmoid(2
/// u). dx = dy (s + x s (1 - s) 2 u'(x)).
struct GeluTanh {
  using OfLibrary = GeluTanh;
  static constexpr const char* name = "GELUTanh";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"x tanh"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return product(x, share(inside(x)));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V t = inside(x), s = share(t);
    const V slope = fma(product(t, t), constant<V>(6 * root * 0.044715), constant<V>(2 * root));
    return product(dy, fma(product(t, slope), fma(-s, s, s), s));
  }

 private:
  static constexpr double root = 0.79788456080286535588;  // sqrt(2 / pi)

  /// Where s still changes: beyond it is 0 or 1, and the cube would overflow.
  template <class V>
  SINTER_FN static V inside(V x) {
    return max(constant<V>(-40), min(constant<V>(40), x));
  }
  template <class V>
  SINTER_FN static V share(V t) {
    return sigmoid(t * fma(product(t, t), constant<V>(2 * root * 0.044715), constant<V>(2 * root)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
