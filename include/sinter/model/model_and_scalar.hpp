// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

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
}  // namespace detail

SINTER_NAMESPACE_END
