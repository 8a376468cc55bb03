// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/expm1.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x where x > 0, else alpha (e^x - 1).   dx = dy where y > 0, else dy (y + alpha).
template <double alpha>
struct Elu {
  using OfLibrary = Elu;
  static constexpr const char* name = "ELU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Elu", alpha};
  static constexpr double options[] = {alpha};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = alpha == 0 ? 0.5 : 0;

  static constexpr bool valid = alpha >= 0 && is_finite_constant(alpha);
  static constexpr bool check() {
    static_assert(valid,
                  "sinter: ELU<alpha> takes a finite alpha of at least 0; negate the input of the layer after it");
    return true;
  }

  template <class V>
  SINTER_FN static V forward(V x) {
    return select(x > V(0), x, product(constant<V>(alpha), parts::expm1_below_zero(min(V(0), x))));
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return select(y > V(0), dy, product(dy, y + constant<V>(alpha)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
