// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/labelled_data.hpp"

SINTER_NAMESPACE_BEGIN

/// The disc problem: points uniform in the unit square, of class 1 where x^2 + y^2 < 1 / (2 pi), an eighth of them.
/// Each coordinate is then standardised to mean 0 and deviation 1 over the set. Point i is a function of i and the seed
/// until then; the numbers are the same on every machine.
LabelledData<float, Shape<2>, std::uint8_t> disc(std::size_t points, std::uint64_t seed);

SINTER_NAMESPACE_END

namespace sinter {
using internal::disc;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/disc.ipp"
#endif
