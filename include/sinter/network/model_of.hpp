// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/model/hashed.hpp"

SINTER_NAMESPACE_BEGIN

template <class... Nets>
class AnyNetworkOf;

namespace detail {
/// A placeholder for a class that is not a model, so that it is refused once and rows cause no further message.
struct NoModel : Sequential<Input<1>> {
  static constexpr bool valid = false;
};
template <class Net>
inline constexpr bool has_model = !std::is_same_v<typename Net::Model, NoModel>;
template <class M>
struct ModelFor {
  using Type = NoModel;
};
template <ShowsLayers M>
struct ModelFor<M> {
  using Type = Hashed<M>;
};
/// What is compiled for a model is named by this, the default of a last template argument.
template <class M>
using ModelOf = typename ModelFor<M>::Type;

/// The model of a `Network net;`.
struct ModelLeftOut;

/// Whether M is an empty or incomplete struct, as a model whose base was refused.
template <class M>
constexpr bool has_nothing() {
  if constexpr (!requires { sizeof(M); })
    return !std::is_same_v<M, ModelLeftOut>;
  else
    return std::is_aggregate_v<M> && std::is_empty_v<M> && !ShowsLayers<M> && !requires { M{{}}; };
}
/// Refuses it when code is generated, that is, when nothing else is wrong.
template <class M, bool Nothing = has_nothing<M>()>
struct ModelOrNothing {};
template <class M>
struct ModelOrNothing<M, true> {
  ModelOrNothing() { refuse(); }
  [[gnu::error(
      "sinter: this is not a model: derive it from Sequential<Input<..>, ..> by a named struct: Network<Model> net")]]
  static void refuse() noexcept;  // clang says nothing of calls that may throw
};

/// A network, or something that is used as one.
template <class Net>
concept IsNetwork = requires {
  typename Net::Model;
  typename Net::Workspace;
};
/// An AnyOf is not a network. (Its members are not used here: it may be refused.)
template <class Net>
inline constexpr bool is_any_of_networks = false;
template <class... Nets>
inline constexpr bool is_any_of_networks<AnyNetworkOf<Nets...>> = true;
template <class Net>
concept IsNetworkOrAnyOf = is_any_of_networks<Net> || IsNetwork<Net>;

/// Whether a call with such an argument means sinter's function, and not the user's own with the same name.
template <class T>
concept MeansNetwork = IsNetworkOrAnyOf<T> || ShowsLayers<T> || requires { typename T::Member; } ||
                       requires(const T& at) { requires IsNetworkOrAnyOf<std::remove_cvref_t<decltype(*at)>>; };
template <class... Given>
using IfNetworkIsMeant = std::enable_if_t<(MeansNetwork<std::remove_cvref_t<Given>> || ...), int>;
}  // namespace detail

SINTER_NAMESPACE_END
