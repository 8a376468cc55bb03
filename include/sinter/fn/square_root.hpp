// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/core/pack_sqrt.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = sqrt(x).   dx = dy / (2 y), infinite at 0.
struct Sqrt {
  using OfLibrary = Sqrt;
  static constexpr const char* name = "Sqrt";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Sqrt"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return fn::sqrt(x);
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(dy, V(0.5)) / y;
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
