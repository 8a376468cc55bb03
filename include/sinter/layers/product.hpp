// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/path.hpp"
#include "sinter/layers/refused.hpp"
#include "sinter/ops/multiply.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// A placeholder for the second branch of a Product that has only one.
struct BranchLeftOut : Path<> {};
}  // namespace detail

/// y = a(x) b(x), element by element: a gate of any kind. Both branches end in the same shape.
///     Product<Path<Conv1d<16, 3, Causal>, Tanh>, Path<Conv1d<16, 3, Causal>, Sigmoid>>     // the gate of WaveNet
///     Product<Path<Linear<32>>, Path<Linear<32>, Sigmoid>>                                 // a gated linear unit
/// Parameters are named by branch, as a Concat's: "0.0.weight", "1.0.weight", ..
template <class GivenFirst, class GivenSecond = detail::BranchLeftOut, class... More>
struct Product {
  using First = detail::chain_of<GivenFirst>;
  using Second = detail::chain_of<GivenSecond>;
  static constexpr const char* name = "Product";
  using Needs = needs::two_branches_that_accept_it_and_end_in_the_same_shape;
  using Parts = TypeList<First, Second>;
  using Ops = concatenate<typename First::Ops, typename Second::Ops, OpList<Multiply>>;
  static constexpr Dims result(Dims in) {
    const Dims y = First::result(in);
    return y == Second::result(in) ? y : Dims{};
  }
  static constexpr bool accepts(Dims in) { return result(in).rank > 0; }
  static constexpr Dims output(Dims in) { return result(in); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire a = to.template child<First>(0, x);
    return to.template op<Multiply>(a, to.template child<Second>(1, x));
  }

  static constexpr bool two = sizeof...(More) == 0 && !std::is_same_v<GivenSecond, detail::BranchLeftOut>;
  static constexpr bool chains = !two || (detail::is_chain<GivenFirst> && detail::is_chain<GivenSecond>);
  static constexpr bool valid = two && chains;
  static constexpr bool check() {
    static_assert(two,
                  "sinter: a Product has two branches; of three: Product<Path<..>, Path<Product<Path<..>, Path<..>>>>");
    static_assert(chains,
                  "sinter: a Product takes its layers in Paths: Product<Path<Linear<8>>, Path<Linear<8>, Sigmoid>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Product;
}  // namespace sinter
