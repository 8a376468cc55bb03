// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/type_name.hpp"
#include "sinter/model/sequential.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class M>
concept ShowsLayers = requires { typename M::LayerTypes; };

/// A model with the hash of its graph in its name, and with the functors whose arguments the hash does not see. Two
/// files of a program may each define a `struct Net`: what is compiled for one must not be taken for the other, so
/// everything that is compiled for a model is named by this.
template <class Model, std::uint64_t Hash, class... Functors>
struct HashedModel : Model {
  using Declared = Model;
};

/// Whether a functor is a template, or in one, and does not list its arguments as `options`.
template <class F>
inline constexpr bool hides_arguments =
    !requires { F::options; } && spelled_type<F>().find('<') != std::string_view::npos;
template <class O>
struct HiddenFunctor {
  using Type = TypeList<>;
};
template <class O>
  requires requires { requires hides_arguments<typename O::Functor>; }
struct HiddenFunctor<O> {
  using Type = TypeList<typename O::Functor>;
};

template <class M, class Ops>
struct HashedOf;
template <class M, class... Ops>
struct HashedOf<M, TypeList<Ops...>> {
  template <class... Functors>
  static HashedModel<M, M::built.hash, Functors...> with(TypeList<Functors...>);
  using Type = decltype(with(concatenate<TypeList<>, typename HiddenFunctor<Ops>::Type...>{}));
};
template <class LayerTypes>
struct OpsOfLayers;
template <class... Layers>
struct OpsOfLayers<TypeList<Layers...>> {
  using Type = concatenate<TypeList<>, typename Layers::Ops...>;
};

template <class M>
struct HashedFor : HashedOf<M, typename OpsOfLayers<typename M::LayerTypes>::Type> {};
template <class Model, std::uint64_t Hash, class... Functors>
struct HashedFor<HashedModel<Model, Hash, Functors...>> {
  using Type = HashedModel<Model, Hash, Functors...>;
};
template <class M>
using Hashed = typename HashedFor<M>::Type;

/// The model as the program defines it.
template <class M>
struct DeclaredOf {
  using Type = M;
};
template <class Model, std::uint64_t Hash, class... Functors>
struct DeclaredOf<HashedModel<Model, Hash, Functors...>> {
  using Type = Model;
};
template <class M>
using Declared = typename DeclaredOf<M>::Type;

}  // namespace detail

SINTER_NAMESPACE_END
