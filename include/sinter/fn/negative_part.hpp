// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = min(x, 0).   dx = dy where x <= 0, else 0.
struct NegativePart {
  using OfLibrary = NegativePart;
  static constexpr const char* name = "negative part";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"min 0"};
  static constexpr bool backward_reads_output = false;

  template <class V>
  SINTER_FN static V forward(V x) {
    return select(x > V(0), V(0), x);
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return select(x > V(0), V(0), dy);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
