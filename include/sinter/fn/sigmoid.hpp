// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = 1 / (1 + e^-x).   dx = dy y (1 - y).
struct Sigmoid {
  using OfLibrary = Sigmoid;
  static constexpr const char* name = "Sigmoid";
  static constexpr OutputKind output_kind = OutputKind::sigmoids;
  static constexpr OnnxFunctor onnx{"Sigmoid"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return sigmoid(x);
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(dy, fma(-y, y, y));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
