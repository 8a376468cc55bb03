// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = min(max(x + 3, 0), 6) / 6.   dx = dy / 6 between -3 and 3, else 0.
struct Hardsigmoid {
  using OfLibrary = Hardsigmoid;
  static constexpr const char* name = "Hardsigmoid";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"HardSigmoid", 1. / 6};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return product(min(V(6), max(V(0), x + V(3))), constant<V>(1. / 6));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return select(x <= V(-3), V(0), select(x < V(3), product(dy, constant<V>(1. / 6)), V(0)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
