// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = e^x.   dx = dy y.
struct Exp {
  using OfLibrary = Exp;
  static constexpr const char* name = "Exp";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Exp"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return fn::exp(x);
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(dy, y);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
