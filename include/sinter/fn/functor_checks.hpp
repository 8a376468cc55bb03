// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include "sinter/fn/of_position.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

// What the kernels require of the functor of an activation, and of a functor of whole rows.
template <class F>
concept ForwardsNumber = requires(float x) {
  { F::forward(x) } -> std::convertible_to<double>;
} || (fn::OfPosition<F> && requires(float x) {
                           { F::forward(x, x) } -> std::convertible_to<double>;
                         });
template <class F>
concept GoesBackNumber = requires(float x) {
  { F::backward(x, x) } -> std::convertible_to<double>;
} || (fn::OfPosition<F> && requires(float x) {
                           { F::backward(x, x, x) } -> std::convertible_to<double>;
                         });
template <class F>
concept SaysWhatItReads = requires {
  { F::backward_reads_output } -> std::convertible_to<bool>;
};
template <class F>
concept ForwardsRow = requires(const float* x, float* y) { F::forward(x, y, 1); };
template <class F>
concept GoesBackRow = requires(const float* y, float* dy) { F::backward(y, dy, 1); };
/// Whether threads can share a row: forward from its exponentials, and each number of dx alone.
template <class F>
concept SharesRow = requires(const float* x, float* y) {
  F::forward_from(x, y, 1);
  F::gradient(x, x, 1, 0);
};
template <class F>
concept IsFunctor = ForwardsNumber<F> && GoesBackNumber<F> && SaysWhatItReads<F>;
template <class F>
concept IsRowFunctor = ForwardsRow<F> && GoesBackRow<F>;

}  // namespace detail

SINTER_NAMESPACE_END
