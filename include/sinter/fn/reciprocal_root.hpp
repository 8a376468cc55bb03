// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/core/pack_sqrt.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = 1 / sqrt(x + epsilon).   dx = -y^3 / 2 dy.
template <double Epsilon>
struct ReciprocalRoot {
  using OfLibrary = ReciprocalRoot;
  static constexpr const char* name = "ReciprocalRoot";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"reciprocal root", Epsilon};
  static constexpr double epsilon = Epsilon;
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return V(1) / fn::sqrt(x + constant<V>(Epsilon));
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return product(product(V(-0.5), dy), product(y, product(y, y)));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
