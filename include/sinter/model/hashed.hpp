// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/model/sequential.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class M>
concept ShowsLayers = requires { typename M::LayerTypes; };

/// A model with the hash of its graph in its name. Two files of a program may each define a `struct Net`: what is
/// compiled for one must not be taken for the other, so everything that is compiled for a model is named by this.
template <class Model, std::uint64_t Hash>
struct HashedModel : Model {
  using Declared = Model;
};

template <class M>
struct HashedOf {
  using Type = HashedModel<M, M::built.hash>;
};
template <class Model, std::uint64_t Hash>
struct HashedOf<HashedModel<Model, Hash>> {
  using Type = HashedModel<Model, Hash>;
};
template <class M>
using Hashed = typename HashedOf<M>::Type;

/// The model as the program defines it.
template <class M>
struct DeclaredOf {
  using Type = M;
};
template <class Model, std::uint64_t Hash>
struct DeclaredOf<HashedModel<Model, Hash>> {
  using Type = Model;
};
template <class M>
using Declared = typename DeclaredOf<M>::Type;

}  // namespace detail

SINTER_NAMESPACE_END
