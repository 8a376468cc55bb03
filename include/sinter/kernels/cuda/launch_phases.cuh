// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/cuda/loaded.cuh"
#include "sinter/kernels/gpu/record.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Blocks of 256 threads for this many items of the grid.
inline int grid_blocks(std::size_t items) {
  return static_cast<int>(std::clamp<std::size_t>((items + 255) / 256, 1, 528));
}

/// Launches kernel_type(i) for each i of [0, Count): the phases of `rows` rows, each by the whole grid. Most of them
/// wait for memory: as many blocks as multiprocessors hold.
template <class Model, int Count, class Args, class KernelType>
void launch_phases(const Loaded& loaded, const Cuda& on, const Args& args, int rows, KernelType) {
  constexpr std::size_t of_row = std::max(Program<Model>::arena_size, Record<Model, true, false>::size);
  const std::size_t blocks = (of_row * static_cast<std::size_t>(rows) + 255) / 256;
  const int most = static_cast<int>(std::clamp<std::size_t>(blocks, 1, 1056));
  unroll<Count>([&](auto i) {
    using K = typename decltype(std::declval<KernelType>()(i))::type;
    if constexpr (decltype(i)::value > 0)
      loaded.template launch_next<K>(on, args, K::blocks(rows, most), K::shared_bytes);
    else
      launch<K>(on, args, K::blocks(rows, most), K::shared_bytes);
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
