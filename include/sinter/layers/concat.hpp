// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/layers/path.hpp"
#include "sinter/ops/concatenate.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// Ops that make one value of several: the first takes `Op::most_inputs`, each further one that and the next values.
constexpr int concatenations(int values) { return (values + Op::most_inputs - 3) / (Op::most_inputs - 1); }
}  // namespace detail

/// y = the outputs of several branches on the same x, one after the other along the channels (features).
///     Concat<Path<>, Path<Conv2d<8, 3, Padding<1>>, ReLU>>     // x itself, and what a convolution makes of it
/// Images must agree in height and width. Parameters are named by branch: "0.0.weight", "1.0.weight", ..
template <class... Branches>
struct Concat {
  static constexpr const char* name = "Concat";
  using Needs = needs::branches_that_accept_it_and_end_in_images_of_one_height_and_width_or_in_features;
  using Parts = TypeList<detail::chain_of<Branches>...>;
  using Ops = concatenate<typename detail::chain_of<Branches>::Ops...,
                          repeated<Concatenate, detail::concatenations(sizeof...(Branches))>>;
  static constexpr Dims result(Dims in) {
    Dims all{};
    for (const Dims& d : {detail::chain_of<Branches>::result(in)...}) {
      if (d.rank == 0) return {};
      if (all.rank > 0 && (d.rank != all.rank || d.height != all.height || d.width != all.width)) return {};
      all = {d.rank, all.rank == 0 ? d.channels : all.channels + d.channels, d.height, d.width};
    }
    return all;
  }
  static constexpr bool accepts(Dims in) { return result(in).rank > 0; }
  static constexpr Dims output(Dims in) { return result(in); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return build(to, x, std::index_sequence_for<Branches...>{});
  }

 private:
  template <class Builder, class Wire, std::size_t... Index>
  static constexpr Wire build(Builder& to, Wire x, std::index_sequence<Index...>) {
    const Wire ends[] = {to.template child<detail::chain_of<Branches>>(static_cast<int>(Index), x)...};
    return together<0>(to, ends[0], ends);
  }
  /// `x` and what comes after branch `Last`.
  template <int Last, class Builder, class Wire, std::size_t Count>
  static constexpr Wire together(Builder& to, Wire x, const Wire (&ends)[Count]) {
    constexpr int left = static_cast<int>(Count) - 1 - Last, more = left < Op::most_inputs ? left : Op::most_inputs - 1;
    if constexpr (left == 0)
      return x;
    else
      return together<Last + more>(to, join<Last + 1>(to, x, ends, std::make_index_sequence<more>{}), ends);
  }
  template <std::size_t First, class Builder, class Wire, std::size_t Count, std::size_t... Index>
  static constexpr Wire join(Builder& to, Wire x, const Wire (&ends)[Count], std::index_sequence<Index...>) {
    return to.template op<Concatenate>(x, ends[First + Index]...);
  }

  // Checked last: clang reads no further in a class that it refuses.
  static constexpr bool several = sizeof...(Branches) >= 2;
  static constexpr bool chains = !several || (... && detail::is_chain<Branches>);

 public:
  static constexpr bool valid = several && chains;
  static constexpr bool check() {
    static_assert(several, "sinter: a Concat takes 2 branches or more: Concat<Path<..>, Path<..>>");
    static_assert(chains, "sinter: a Concat takes its layers in Paths: Concat<Path<Linear<8>>, Path<>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Concat;
}  // namespace sinter
