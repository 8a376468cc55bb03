// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/expm1.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = scale x where x > 0, else scale alpha (e^x - 1), with numbers that keep a mean of 0 and a variance of 1
/// (Klambauer, Unterthiner, Mayr, Hochreiter 2017, "Self-normalizing neural networks").
/// dx = scale dy where y > 0, else dy (y + scale alpha).
struct Selu {
  using OfLibrary = Selu;
  static constexpr const char* name = "SELU";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Selu"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  static constexpr double scale = 1.0507009873554804934, alpha = 1.6732632423543772848;

  template <class V>
  SINTER_FN static V forward(V x) {
    return select(x > V(0), product(constant<V>(scale), x),
                  product(constant<V>(scale * alpha), parts::expm1_below_zero(min(V(0), x))));
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(dy, select(y > V(0), constant<V>(scale), y + constant<V>(scale * alpha)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
