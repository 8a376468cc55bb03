// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/model/hashed.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// A model or a Network: its model, and the numbers it computes with, which are floats for a model.
template <class M>
struct ModelAndScalar {
  using Model = M;
  using Scalar = float;
};
template <class Net>
  requires requires {
    typename Net::Model;
    typename Net::Scalar;
  }
struct ModelAndScalar<Net> {
  using Model = typename Net::Model;
  using Scalar = typename Net::Scalar;
};

template <class M>
struct DistinctFor {
  using Type = M;
};
template <ShowsLayers M>
struct DistinctFor<M> {
  using Type = Hashed<M>;
};
/// A model, with its hash, or a Network: functions that are given one by name are named by this, too.
template <class M>
using DistinctOf = typename DistinctFor<M>::Type;
}  // namespace detail

SINTER_NAMESPACE_END
