// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/shape.hpp"
#include "sinter/fn/apply.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// How many numbers beyond those of a sample may be read by kernels with outputs in the lanes.
inline constexpr int beyond_positions = 128;

/// A functor that has a number for each position in a sample, in an array: `forward(x, number)`, `backward(saved, dy,
/// number)`, and `numbers<T, In>()` for samples of a shape, with `beyond_positions` more. Its positions are steps along
/// the first dimension, or with `steps_last` along the last one.
template <class F>
concept OfPosition = requires { F::template numbers<float, Dims{1, 1, 1, 1}>(); };

/// F at position i of a sample; most functors are the same everywhere.
template <class F, Dims In, class V>
SINTER_FN V forward_at(V x, [[maybe_unused]] int i) {
  if constexpr (OfPosition<F>)
    return F::forward(x, V(F::template numbers<scalar_of<V>, In>()[i]));
  else
    return fn::forward<F>(x);
}
template <class F, Dims In, class V>
SINTER_FN V backward_at(V saved, V dy, [[maybe_unused]] int i) {
  if constexpr (OfPosition<F>)
    return F::backward(saved, dy, V(F::template numbers<scalar_of<V>, In>()[i]));
  else
    return fn::backward<F>(saved, dy);
}

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
