// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/softplus.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = ln(1 + e^(beta x)) / beta, and x where beta x > threshold.   dx = dy sigmoid(beta x), and dy there.
template <double beta, double threshold>
struct Softplus {
  static_assert(beta > 0, "sinter: Softplus<beta, threshold> takes a beta above 0");
  static constexpr const char* name = "Softplus";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"beta softplus", beta, threshold};
  static constexpr double options[] = {beta, threshold};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    const V z = product(constant<V>(beta), x);
    return select(z > constant<V>(threshold), x, product(softplus(z), constant<V>(1 / beta)));
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V z = product(constant<V>(beta), x);
    return select(z > constant<V>(threshold), dy, product(dy, sigmoid(z)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
