// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/two_branches.hpp"
#include "sinter/ops/elementwise.hpp"

SINTER_NAMESPACE_BEGIN

/// y = the larger of a(x) and b(x), element by element; NaN if one of them is. Both branches end in the same shape.
///     Maximum<Path<Linear<32>>, Path<Linear<32>>>     // a maxout unit (Goodfellow and others, 2013)
/// The larger one takes the gradient, half of it each where they are equal, as PyTorch's torch.maximum has it.
/// Parameters are named by branch, as a Concat's: "0.0.weight", "1.0.weight", ..
template <class GivenFirst, class GivenSecond = detail::BranchLeftOut, class... More>
struct Maximum : detail::TwoBranches<Larger, GivenFirst, GivenSecond, More...> {
  static constexpr const char* name = "Maximum";
  static constexpr bool check() {
    static_assert(Maximum::two,
                  "sinter: a Maximum has two branches; of three: Maximum<Path<..>, Path<Maximum<Path<..>, Path<..>>>>");
    static_assert(Maximum::chains,
                  "sinter: a Maximum takes its layers in Paths: Maximum<Path<Linear<8>>, Path<Linear<8>>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Maximum;
}  // namespace sinter
