// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x / (1 + |x|).   dx = dy / (1 + |x|)^2.
struct Softsign {
  using OfLibrary = Softsign;
  static constexpr const char* name = "Softsign";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Softsign"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return x / (V(1) + max(x, -x));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V inverse = V(1) / (V(1) + max(x, -x));
    return product(dy, product(inverse, inverse));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
