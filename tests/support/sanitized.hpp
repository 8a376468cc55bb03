// SPDX-License-Identifier: MIT
#pragma once

namespace sinter_test {

/// Whether sanitizers watch this program. It is not optimised then, and compiles and runs many times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// `all`, or `few` under sanitizers: how often to do what says something new about numbers each time, but nothing new
/// about accesses, lifetimes and undefined behaviour.
template <class T>
constexpr T unless_sanitized(T all, T few) {
  return sanitized ? few : all;
}

}  // namespace sinter_test
