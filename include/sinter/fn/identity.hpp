// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// y = x: a copy, in another shape.
struct Identity {
  static constexpr const char* name = "copy";
  static constexpr bool backward_reads_output = true;

  template <class V>
  SINTER_FN static V forward(V x) {
    return x;
  }
  template <class V>
  SINTER_FN static V backward(V, V dy) {
    return dy;
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
