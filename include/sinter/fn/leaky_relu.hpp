// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/finite.hpp"
#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x where x > 0, else slope x.   dx = dy where x > 0, else slope dy; y has the sign of x where slope >= 0.
template <double slope>
struct LeakyRelu {
  using OfLibrary = LeakyRelu;
  static constexpr const char* name = "LeakyReLU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"LeakyRelu", slope};
  static constexpr double options[] = {slope};
  static constexpr bool backward_reads_output = slope >= 0;
  static constexpr double zeros = slope == 0 ? 0.5 : 0;

  static constexpr bool valid = is_finite_constant(slope);
  static constexpr bool check() {
    static_assert(valid, "sinter: LeakyReLU<slope> takes a finite slope");
    return true;
  }

  template <class V>
  SINTER_FN static V forward(V x) {
    return select(x > V(0), x, product(constant<V>(slope), x));
  }
  template <class V>
  SINTER_FN static V backward(V saved, V dy) {
    return select(saved > V(0), dy, product(constant<V>(slope), dy));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
