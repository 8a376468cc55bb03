// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What a functor is in ONNX, as its member `onnx`: an operator with its attribute, or, if not all versions in use have
/// one, what it is composed of (see OnnxGraph::functor).
struct OnnxFunctor {
  std::string_view name{};  // empty: it has no counterpart
  double parameter = 0;
  double threshold = 0;               // above which "beta softplus" gives x
  std::span<const double> numbers{};  // its second input: see fn::OfPosition
};

namespace fn {
template <class F>
inline constexpr OnnxFunctor onnx_of = [] {
  if constexpr (requires { F::onnx; })
    return F::onnx;
  else
    return OnnxFunctor{};
}();
}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
using internal::OnnxFunctor;
}  // namespace sinter
