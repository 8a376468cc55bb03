// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = -x.   dx = -dy
struct Negation {
  using OfLibrary = Negation;
  static constexpr const char* name = "negation";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Neg"};
  static constexpr bool backward_reads_output = true;

  template <class V>
  SINTER_FN static V forward(V x) {
    return -x;
  }
  template <class V>
  SINTER_FN static V backward(V, V dy) {
    return -dy;
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
