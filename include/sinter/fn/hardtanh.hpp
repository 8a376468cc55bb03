// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = min(max(x, low), high).   dx = dy between low and high, else 0, also at both.
template <double low, double high>
struct Hardtanh {
  using OfLibrary = Hardtanh;
  static constexpr const char* name = "Hardtanh";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"low high", low, high};
  static constexpr double options[] = {low, high};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = low == 0 ? 0.5 : 0;

  static constexpr bool valid = low < high;
  static constexpr bool check() {
    static_assert(valid, "sinter: Hardtanh<low, high> takes a low that is smaller than its high");
    return true;
  }

  template <class V>
  SINTER_FN static V forward(V x) {
    return min(constant<V>(high), max(constant<V>(low), x));  // NaN stays
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return select(x <= constant<V>(low), V(0), select(x < constant<V>(high), dy, V(0)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
