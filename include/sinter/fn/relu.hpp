// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = max(x, 0), NaN where x is.   dx = dy where y > 0, else 0.
struct Relu {
  using OfLibrary = Relu;
  static constexpr const char* name = "ReLU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Relu"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0.5;

  template <class V>
  SINTER_FN static V forward(V x) {
    return max(V(0), x);  // the second operand where either is NaN
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return select(y <= V(0), V(0), dy);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
