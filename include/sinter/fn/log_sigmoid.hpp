// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/softplus.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = -ln(1 + e^-x).   dx = dy sigmoid(-x).
struct LogSigmoid {
  using OfLibrary = LogSigmoid;
  static constexpr const char* name = "LogSigmoid";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"log sigmoid"};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return -softplus(-x);
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return product(dy, sigmoid(-x));
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
