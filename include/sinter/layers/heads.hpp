// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/concat.hpp"

SINTER_NAMESPACE_BEGIN

/// The last layer of a network with several outputs: heads on the same x, whose outputs follow one another in the
/// output row.   Heads<Path<Linear<10>>, Path<Linear<32>, ReLU, Linear<4>>>     // 10 scores, then 4 numbers
/// Each has a loss of its own: head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{}). Parameters are named as a
/// Concat's.
template <class... Branches>
struct Heads : Concat<detail::chain_of<Branches>...> {
  static constexpr const char* name = "Heads";
  using Needs = needs::heads_that_accept_it_and_end_in_rows_of_features;
  static constexpr int head_count = sizeof...(Branches);
  template <int Index>
  using Head = typename TypeList<detail::chain_of<Branches>...>::template At<Index>;
  static constexpr Dims result(Dims in) {
    const Dims all = Concat<detail::chain_of<Branches>...>::result(in);
    return all.rank == 1 ? all : Dims{};
  }
  static constexpr bool accepts(Dims in) { return result(in).rank > 0; }

  static constexpr bool several = head_count >= 2;
  static constexpr bool chains = (true && ... && detail::is_chain<Branches>);
  static constexpr bool valid = several && chains;
  static constexpr bool check() {
    static_assert(several, "sinter: Heads are 2 or more: Heads<Path<Linear<8>>, Path<Linear<2>>>");
    static_assert(chains, "sinter: Heads take their layers in Paths: Heads<Path<Linear<8>>, Path<Linear<2>>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Heads;
}  // namespace sinter
