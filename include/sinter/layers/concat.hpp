// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/layers/chain.hpp"
#include "sinter/ops/concatenate.hpp"

SINTER_NAMESPACE_BEGIN

/// y = the outputs of several branches on the same x, one behind the other along the channels (features).
///     Concat<Path<>, Path<Conv2d<8, 3, Padding<1>>, ReLU>>     // x itself, and what a convolution makes of it
/// Images must agree in height and width. Parameters are named by branch: "0.0.weight", "1.0.weight", ..
template <class... Branches>
struct Concat {
  static constexpr const char* name = "Concat";
  using Needs = needs::branches_that_accept_it_and_end_in_images_of_one_height_and_width_or_in_features;
  using Ops = concatenate<typename Branches::Ops..., OpList<Concatenate>>;
  static constexpr bool accepts(Dims in) {
    if (!(... && Branches::accepts(in))) return false;
    const Dims all[] = {Branches::output(in)...};
    for (const Dims& d : all)
      if (d.rank != all[0].rank || d.height != all[0].height || d.width != all[0].width) return false;
    return true;
  }
  static constexpr Dims output(Dims in) {
    Dims all{};
    for (const Dims& d : {Branches::output(in)...})
      all = {d.rank, all.rank == 0 ? d.channels : all.channels + d.channels, d.height, d.width};
    return all;
  }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return build(to, x, std::index_sequence_for<Branches...>{});
  }

 private:  // checked last: clang reads no further in a class that it refuses
  static constexpr bool several = sizeof...(Branches) >= 2 && sizeof...(Branches) <= Op::most_inputs;
  static_assert(several,
                "sinter: Concat takes 2 to 4 branches: Concat<Path<..>, Path<..>>; for more, put one in another");

  template <class Builder, class Wire, std::size_t... I>
  static constexpr Wire build(Builder& to, Wire x, std::index_sequence<I...>) {
    const Wire ends[] = {to.template child<Branches>(static_cast<int>(I), x)...};
    return to.template op<Concatenate>(ends[I]...);
  }
};

SINTER_NAMESPACE_END
