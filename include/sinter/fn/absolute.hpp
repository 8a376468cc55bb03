// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = |x|.   dx = dy where x > 0, -dy where x < 0, 0 at 0.
struct Abs {
  using OfLibrary = Abs;
  static constexpr const char* name = "Abs";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Abs"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return max(x, -x);
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return select(x > V(0), dy, select(x < V(0), -dy, V(0)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
