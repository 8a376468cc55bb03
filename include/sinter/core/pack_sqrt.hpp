// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// The square root, of a pack lane by lane.
template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN T sqrt(T x) {
  if constexpr (sizeof(T) == 4)
    return __builtin_sqrtf(x);
  else
    return __builtin_sqrt(x);
}
template <class T, int L>
SINTER_FN Pack<T, L> sqrt(Pack<T, L> x) {
#if SINTER_VECTORS && defined(__clang__)
  if constexpr (L > 1) return Pack<T, L>(__builtin_elementwise_sqrt(x.v));
#else
#if SINTER_VECTORS && defined(__AVX__)
  if constexpr (std::is_same_v<T, float> && L == 8) return Pack<T, L>(__builtin_ia32_sqrtps256(x.v));
  if constexpr (std::is_same_v<T, double> && L == 4) return Pack<T, L>(__builtin_ia32_sqrtpd256(x.v));
#endif
#if SINTER_VECTORS && defined(__AVX512F__) && !defined(__CUDACC__)
  if constexpr (std::is_same_v<T, float> && L == 16)
    return Pack<T, L>(__builtin_ia32_sqrtps512_mask(x.v, x.v, static_cast<unsigned short>(0xffff), 4));
  if constexpr (std::is_same_v<T, double> && L == 8)
    return Pack<T, L>(__builtin_ia32_sqrtpd512_mask(x.v, x.v, static_cast<unsigned char>(0xff), 4));
#endif
#if SINTER_VECTORS && defined(__aarch64__) && !defined(__CUDACC__)
  if constexpr (std::is_same_v<T, float> && L == 4) return Pack<T, L>(__builtin_aarch64_sqrtv4sf(x.v));
  if constexpr (std::is_same_v<T, double> && L == 2) return Pack<T, L>(__builtin_aarch64_sqrtv2df(x.v));
#endif
#endif
  Pack<T, L> r;
  for (int i = 0; i < L; ++i) r.v[i] = sqrt(x.v[i]);
  return r;
}

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
