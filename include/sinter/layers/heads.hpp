// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sinter/layers/concat.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/inputs.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// One of several Heads: its layers, and its name if it has one.
template <class Branch>
struct HeadOf {
  using Layers = chain_of<Branch>;
  static constexpr bool valid = is_chain<Branch>;
  static constexpr std::string_view name{};
};
template <class Branch>
  requires requires { Branch::key.name(); }
struct HeadOf<Branch> : HeadOf<typename Branch::Inside> {
  static constexpr std::string_view name = Branch::key.name();
  static constexpr auto key = Branch::key;
};

template <class Layers>
struct FlattenedChain;
template <class... Layers>
struct FlattenedChain<TypeList<Layers...>> {
  using Type = Chain<Layers..., Flatten>;
};
/// The layers of a head, whose output becomes a part of a row.
template <class Branch>
using flattened_head = typename FlattenedChain<typename HeadOf<Branch>::Layers::ChainLayers>::Type;

/// Whether no two heads have the same name.
template <std::size_t Count>
constexpr bool distinct_names(const std::array<std::string_view, Count>& names) {
  for (std::size_t i = 0; i < Count; ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!names[i].empty() && names[i] == names[k]) return false;
  return true;
}
}  // namespace detail

/// The last layer of a network with several outputs: heads on the same x, which end in any shape. Their outputs follow
/// one another in the output row.
///     Heads<Path<Linear<10>>, Path<Linear<32>, ReLU, Linear<4>>>                     // 10 scores, then 4 numbers
///     Heads<Named<"mask", Path<Conv2d<2, 1>>>, Named<"kind", Path<AdaptiveAvgPool2d<1>, Flatten, Linear<3>>>>
/// Each has a loss of its own: head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{}). Parameters are named as a
/// Concat's.
template <class... Branches>
struct Heads : Concat<detail::flattened_head<Branches>...> {
  static constexpr const char* name = "Heads";
  using Needs = needs::heads_that_accept_it;
  using Parts = TypeList<typename detail::HeadOf<Branches>::Layers...>;
  static constexpr int head_count = sizeof...(Branches);
  static constexpr std::array<std::string_view, sizeof...(Branches)> head_names{detail::HeadOf<Branches>::name...};
  using Names = typename detail::NamesOfParts<detail::HeadOf<Branches>...>::Type;
  template <int Index>
  using Head = typename TypeList<detail::HeadOf<Branches>...>::template At<Index>;

  static constexpr bool several = head_count >= 2;
  static constexpr bool chains = (true && ... && detail::HeadOf<Branches>::valid);
  static constexpr bool distinct = detail::distinct_names(head_names);
  static constexpr bool valid = several && chains && distinct;
  static constexpr bool check() {
    static_assert(several, "sinter: Heads are 2 or more: Heads<Path<Linear<8>>, Path<Linear<2>>>");
    static_assert(chains, "sinter: Heads take their layers in Paths: Heads<Path<Linear<8>>, Path<Linear<2>>>");
    static_assert(distinct, "sinter: two of these Heads have the same name; give each a name of its own");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Heads;
}  // namespace sinter
