// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x s, s = sigmoid(x).   dx = dy s (1 + x (1 - s)).
struct Silu {
  using OfLibrary = Silu;
  static constexpr const char* name = "SiLU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"x sigmoid"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return product(x, sigmoid(x));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V s = sigmoid(x);
    return product(product(dy, s), fma(x, V(1) - s, V(1)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
