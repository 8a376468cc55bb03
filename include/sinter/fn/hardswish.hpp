// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x min(max(x + 3, 0), 6) / 6.   dx = 0 up to -3, dy (2 x + 3) / 6 between, dy from 3 on.
struct Hardswish {
  using OfLibrary = Hardswish;
  static constexpr const char* name = "Hardswish";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"HardSwish"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return product(x, product(min(V(6), max(V(0), x + V(3))), constant<V>(1. / 6)));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V between = product(dy, fma(x, constant<V>(1. / 3), constant<V>(0.5)));
    return select(x <= V(-3), V(0), select(x < V(3), between, dy));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
