// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/path.hpp"
#include "sinter/layers/refused.hpp"
#include "sinter/ops/add.hpp"

SINTER_NAMESPACE_BEGIN

/// The layers through which the input of a Residual goes around its path.
template <class... Layers>
struct Shortcut : detail::Chain<Layers...> {};

/// y = path(x) + shortcut(x) (He and others, 2015). Without a Shortcut, y = path(x) + x.
///     Residual<Path<Conv2d<32, 3, Stride<2>, Padding<1>>, ReLU, Conv2d<32, 3, Padding<1>>>,
///              Shortcut<Conv2d<32, 1, Stride<2>>>>
/// Parameters are named "path.0.weight", "shortcut.0.weight", ..
template <class GivenPath, class GivenShortcut = Shortcut<>>
struct Residual {
  using PathLayers = detail::chain_of<GivenPath>;
  using ShortcutLayers = detail::chain_of<GivenShortcut>;
  static constexpr const char* name = "Residual";
  using Needs = needs::a_path_and_a_shortcut_that_accept_it_and_end_in_the_same_shape;
  using Parts = TypeList<PathLayers, ShortcutLayers>;
  using PartNames = TypeList<place::path, place::shortcut>;
  using Ops = concatenate<typename PathLayers::Ops, typename ShortcutLayers::Ops, OpList<Add>>;
  static constexpr Dims result(Dims in) {
    const Dims y = PathLayers::result(in);
    return y == ShortcutLayers::result(in) ? y : Dims{};
  }
  static constexpr bool accepts(Dims in) { return result(in).rank > 0; }
  static constexpr Dims output(Dims in) { return result(in); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire y = to.template child<PathLayers>("path", x);
    return to.template op<Add>(y, to.template child<ShortcutLayers>("shortcut", x));
  }

  static constexpr bool valid = detail::is_chain<GivenPath> && detail::is_chain<GivenShortcut>;
  static constexpr bool check() {
    static_assert(valid,
                  "sinter: a Residual takes its layers in a Path: Residual<Path<Linear<8>, ReLU>, Shortcut<..>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Residual;
using internal::Shortcut;
}  // namespace sinter
