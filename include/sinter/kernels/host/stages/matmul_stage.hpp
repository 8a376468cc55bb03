// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

template <>
struct StageKernel<Source::matmul> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    matmul_forward<Tile, S>(tile);
  }
  template <class Tile, int S>
  SINTER_INLINE static void weight_gradient(const Tile& tile) {
    if constexpr (Tile::Plan::of_batch(S))
      store_operands<Tile, S>(tile);
    else
      matmul_weight_gradient<Tile, S>(tile);
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    matmul_input_gradient<Tile, S>(tile);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
