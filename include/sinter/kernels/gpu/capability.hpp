// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <initializer_list>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Bytes of shared memory that a block may have, by compute capability (75 is 7.5); for an unknown one, the least of
/// the newer ones. Source: the technical specifications in the CUDA C++ Programming Guide.
SINTER_HOST_DEVICE constexpr std::size_t shared_memory_of(int capability) {
  switch (capability) {
    case 80:
    case 87:
      return 163 * 1024;
    case 90:
    case 100:
    case 103:
    case 110:
      return 227 * 1024;
    default:
      return (capability < 80 ? 64 : 99) * std::size_t{1024};
  }
}
/// The least of these that holds this many bytes; 0 if none does.
SINTER_HOST_DEVICE constexpr std::size_t smallest_block(std::size_t bytes) {
  for (const int capability : {75, 86, 80, 90})
    if (bytes <= shared_memory_of(capability)) return shared_memory_of(capability);
  return 0;
}
inline constexpr std::size_t least_shared_memory = 64 * 1024, most_shared_memory = 227 * 1024;

/// The shared memory that a block needs for kernel K. On a capability with less, the code is a stub that traps, which
/// the host does not launch.
template <class K>
inline constexpr std::size_t least_memory = 0;
template <class K>
  requires requires { K::least_memory; }
inline constexpr std::size_t least_memory<K> = K::least_memory;

template <class K, int Capability>
inline constexpr bool runs_on = least_memory<K> <= shared_memory_of(Capability);

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
