// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = tanh x.   dx = dy (1 - y^2).
struct Tanh {
  using OfLibrary = Tanh;
  static constexpr const char* name = "Tanh";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Tanh"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return tanh(x);
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(dy, fma(-y, y, V(1)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
