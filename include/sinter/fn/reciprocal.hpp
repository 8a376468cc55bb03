// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = 1 / x.   dx = -y^2 dy, both infinite at 0.
struct Reciprocal {
  using OfLibrary = Reciprocal;
  static constexpr const char* name = "Reciprocal";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Reciprocal"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return V(1) / x;
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return -product(dy, product(y, y));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
