// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/model/sequential.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class M>
concept ShowsLayers = requires { typename M::LayerTypes; };
/// What stands for a class that is no model, so that it is refused once.
struct NoModel : Sequential<Input<1>> {};
template <class M>
using ModelOf = std::conditional_t<ShowsLayers<M>, M, NoModel>;

/// The model of a `Network net;`.
struct ModelLeftOut;

/// A network, or what is to be one.
template <class Net>
concept IsNetwork = requires {
  typename Net::Model;
  typename Net::Workspace;
};
/// What a network is made with, where that is neither options nor a device nor another network.
template <class Given, class Options, class Device>
concept MakesNoNetwork =
    !std::is_convertible_v<const Given&, Options> && !std::is_convertible_v<const Given&, Device> && !IsNetwork<Given>;
}  // namespace detail

SINTER_NAMESPACE_END
