// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/stages/convolution_adjoint.hpp"
#include "sinter/kernels/host/stages/convolution_weight_gradient.hpp"
#include "sinter/kernels/host/stages/dropped_channels.hpp"
#include "sinter/kernels/host/stages/sparse_convolution.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/kernels/host/stages/winograd_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

template <>
struct StageKernel<Source::convolution> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    if constexpr (Tile::training && P::skips_channels(S))
      DroppedChannels<P, S>::forward(tile);
    else if constexpr (P::by_winograd(S))
      winograd_forward<Tile, S>(tile);
    else
      convolve<Tile, S, false>(tile);
  }
  template <class Tile, int S>
  SINTER_INLINE static void weight_gradient(const Tile& tile) {
    convolution_weight_gradient<Tile, S>(tile);
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    if constexpr (P::sparse(S))
      SparseConvolution<Tile, S>::backward(tile);
    else if constexpr (P::by_winograd(S))
      winograd_input_gradient<Tile, S>(tile);
    else
      convolve_adjoint<Tile, S, true>(tile);
  }
};

/// The same kernels with their ends exchanged.
template <>
struct StageKernel<Source::transposed> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    convolve_adjoint<Tile, S, false>(tile);
  }
  template <class Tile, int S>
  SINTER_INLINE static void weight_gradient(const Tile& tile) {
    convolution_weight_gradient<Tile, S>(tile);
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    convolve<Tile, S, true>(tile);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
