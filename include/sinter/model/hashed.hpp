// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/model/sequential.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class M>
concept ShowsLayers = requires { typename M::LayerTypes; };

/// A model with the hash of its graph in its name, and with its functors. Two files of a program may each define a
/// `struct Net`: what is compiled for one must not be taken for the other, so everything that is compiled for a model
/// is named by this. Of a functor, the hash sees the name and the options; the type has what it does not list.
template <class Model, std::uint64_t Hash, class... Functors>
struct HashedModel : Model {};

/// The functor of an op, if it has one.
template <class O>
struct FunctorOf {
  using Type = TypeList<>;
};
template <class O>
  requires requires { typename O::Functor; }
struct FunctorOf<O> {
  using Type = TypeList<typename O::Functor>;
};

template <class M, class Ops>
struct HashedOf;
template <class M, class... Ops>
struct HashedOf<M, TypeList<Ops...>> {
  template <class... Functors>
  static HashedModel<M, M::built.hash, Functors...> with(TypeList<Functors...>);
  using Type = decltype(with(concatenate<TypeList<>, typename FunctorOf<Ops>::Type...>{}));
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
