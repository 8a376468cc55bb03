// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/finite.hpp"
#include "sinter/core/softplus.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = ln(1 + e^(beta x)) / beta, and x where beta x > threshold.   dx = dy sigmoid(beta x), and dy there.
template <double beta, double threshold>
struct Softplus {
  using OfLibrary = Softplus;
  static constexpr const char* name = "Softplus";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"beta softplus", beta, threshold};
  static constexpr double options[] = {beta, threshold};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  static constexpr bool valid = is_above_zero_constant(beta) && threshold == threshold;
  static constexpr bool check() {
    static_assert(valid,
                  "sinter: Softplus<beta, threshold> takes a finite beta above 0 and a threshold that is no NaN");
    return true;
  }

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
