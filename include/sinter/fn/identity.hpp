// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x: a copy, in another shape.
struct Identity {
  using OfLibrary = Identity;
  static constexpr const char* name = "copy";
  static constexpr OutputKind output_kind = OutputKind::as_input;
  static constexpr OnnxFunctor onnx{"Identity"};
  static constexpr bool backward_reads_output = true;

  template <class V>
  SINTER_FN static V forward(V x) {
    return x;
  }
  template <class V>
  SINTER_FN static V backward(V, V dy) {
    return dy;
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
