// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/expm1.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x where x > 0, else alpha (e^(x / alpha) - 1).   dx = dy where y > 0, else dy (y / alpha + 1).
template <double alpha>
struct Celu {
  using OfLibrary = Celu;
  static constexpr const char* name = "CELU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Celu", alpha};
  static constexpr double options[] = {alpha};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  static constexpr bool valid = is_above_zero_constant(alpha) && is_above_zero_constant(1 / alpha);
  static constexpr bool check() {
    static_assert(valid, "sinter: CELU<alpha> takes a finite alpha above 0, with a finite inverse");
    return true;
  }

  template <class V>
  SINTER_FN static V forward(V x) {
    const V e = parts::expm1_below_zero(product(constant<V>(1 / alpha), min(V(0), x)));
    return select(x > V(0), x, product(constant<V>(alpha), e));
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(dy, select(y > V(0), V(1), fma(y, constant<V>(1 / alpha), V(1))));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
