// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_keep.hpp"

/// For tests of vectors of 64 bytes on processors that have none: there is no register to keep such a pack in, and g++
/// refuses to.
#if !defined(__AVX512VL__)
SINTER_NAMESPACE_BEGIN
namespace fn {
template <>
inline void keep(Pack<double, 8>&) {}
template <>
inline void keep(Pack<float, 16>&) {}
}  // namespace fn
SINTER_NAMESPACE_END
#endif
