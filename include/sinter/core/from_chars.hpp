// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// std::from_chars of numbers with a point or an exponent, by the C library, in any locale.
std::from_chars_result float_from_chars(const char* first, const char* last, float& value);
std::from_chars_result float_from_chars(const char* first, const char* last, double& value);

/// std::from_chars. libc++ before 20 has none for floating-point numbers.
template <class T>
std::from_chars_result from_chars(const char* first, const char* last, T& value) {
#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
  if constexpr (std::floating_point<T>)
    return float_from_chars(first, last, value);
  else
#endif
    return std::from_chars(first, last, value);
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/from_chars.ipp"
#endif
