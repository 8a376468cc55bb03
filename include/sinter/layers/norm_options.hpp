// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/finite.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/layers/options.hpp"

SINTER_NAMESPACE_BEGIN

/// Options of the layers that normalise.
namespace layer_option {
struct EpsilonTag {
  double value;
};
/// The square root of a variance and this is divided by.
constexpr bool is_sound(EpsilonTag epsilon) { return is_above_zero_constant(epsilon.value); }
struct NoAffineTag {};
struct NormalizedShapeTag {
  Dims dims;  // of rank 0 if the sizes are of no shape
};
}  // namespace layer_option
/// What is added to the variance: 1e-5 unless given.
template <double Value>
inline constexpr layer_option::EpsilonTag Epsilon{Value};
/// Neither weight nor bias.
inline constexpr layer_option::NoAffineTag NoAffine{};
/// The last dimensions, along which LayerNorm and RMSNorm normalise, by their sizes: all of a sample unless given.
template <int... Sizes>
inline constexpr layer_option::NormalizedShapeTag NormalizedShape{dims_of<Sizes...>()};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Epsilon;
using internal::NoAffine;
using internal::NormalizedShape;
}  // namespace sinter
