// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/two_branches.hpp"
#include "sinter/ops/elementwise.hpp"

SINTER_NAMESPACE_BEGIN

/// y = a(x) b(x), element by element: a gate of any kind. Both branches end in the same shape.
///     Product<Path<Conv1d<16, 3, Causal>, Tanh>, Path<Conv1d<16, 3, Causal>, Sigmoid>>     // the gate of WaveNet
///     Product<Path<Linear<32>>, Path<Linear<32>, Sigmoid>>                                 // a gated linear unit
/// Parameters are named by branch, as a Concat's: "0.0.weight", "1.0.weight", ..
template <class GivenFirst, class GivenSecond = detail::BranchLeftOut, class... More>
struct Product : detail::TwoBranches<Multiply, GivenFirst, GivenSecond, More...> {
  static constexpr const char* name = "Product";
  static constexpr bool check() {
    static_assert(Product::two,
                  "sinter: a Product has two branches; of three: Product<Path<..>, Path<Product<Path<..>, Path<..>>>>");
    static_assert(Product::chains,
                  "sinter: a Product takes its layers in Paths: Product<Path<Linear<8>>, Path<Linear<8>, Sigmoid>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Product;
}  // namespace sinter
