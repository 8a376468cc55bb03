// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/path.hpp"
#include "sinter/layers/refused.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// A placeholder for the second of two branches, if there is only one.
struct BranchLeftOut : Path<> {};

/// y = f(a(x), b(x)), element by element, by the op `Operation`; a base of layers. Both branches end in the same shape.
/// Parameters are named by branch, as a Concat's: "0.0.weight", "1.0.weight", ..
template <class Operation, class GivenFirst, class GivenSecond, class... More>
struct TwoBranches {
  using First = chain_of<GivenFirst>;
  using Second = chain_of<GivenSecond>;
  using Needs = needs::two_branches_that_accept_it_and_end_in_the_same_shape;
  using Parts = TypeList<First, Second>;
  using Ops = concatenate<typename First::Ops, typename Second::Ops, OpList<Operation>>;
  static constexpr Dims result(Dims in) {
    const Dims y = First::result(in);
    return y == Second::result(in) ? y : Dims{};
  }
  static constexpr bool accepts(Dims in) { return result(in).rank > 0; }
  static constexpr Dims output(Dims in) { return result(in); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire a = to.template child<First>(0, x);
    return to.template op<Operation>(a, to.template child<Second>(1, x));
  }

  static constexpr bool two = sizeof...(More) == 0 && !std::is_same_v<GivenSecond, BranchLeftOut>;
  static constexpr bool chains = !two || (is_chain<GivenFirst> && is_chain<GivenSecond>);
  static constexpr bool valid = two && chains;
};
}  // namespace detail

SINTER_NAMESPACE_END
