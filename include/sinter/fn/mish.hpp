// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/softplus.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x tanh(ln(1 + e^x)).   With t = tanh(ln(1 + e^x)): dx = dy (t + x (1 - t^2) sigmoid(x)).
struct Mish {
  using OfLibrary = Mish;
  static constexpr const char* name = "Mish";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"x tanh softplus"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return product(x, tanh(softplus(x)));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V t = tanh(softplus(x));
    return product(dy, fma(product(x, sigmoid(x)), fma(-t, t, V(1)), t));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
