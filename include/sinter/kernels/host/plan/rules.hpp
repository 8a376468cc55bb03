// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/plan/gradient_order.hpp"
#include "sinter/plan/stages.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// What rides on the host: maps and masks without a Flatten in between, because riders share positions, and a pool in
/// the convolution before it when its windows tile the image and fit in registers. After an add they tile all of it: a
/// pixel that no window covers would give the add's other input no gradient, not even zero.
struct Rules {
  static constexpr bool rides(const Stage& stage, const Op&, const Op& before, const Op& op) {
    if (before.out != op.in) return false;
    const bool all = op.in.height % op.window.height == 0 && op.in.width % op.window.width == 0;
    return op.kind != OpKind::pool || (stage.source == Source::convolution && stage.pool < 0 && op.window.tiles() &&
                                       op.window.taps() <= 4 && (all || !stage.adds));
  }
};

/// Rows a multiple of 4096 bytes apart, such as those of 1024 floats, share a set of the first cache, which has no room
/// for more than `rows_of_a_set` of them.
template <class T>
constexpr bool rows_share_a_set(int columns) {
  return columns * static_cast<int>(sizeof(T)) % 4096 == 0;
}
inline constexpr int rows_of_a_set = 8;

/// From this many numbers on, the gradient of a weight is computed from the whole batch, even if tiles are computed one
/// by one.
inline constexpr int least_of_batch = 8192;
/// From this many on, a tile computes dx of a product row by row of the weight: see sweep_rows.
inline constexpr int least_swept = 65536;

/// Exact zeros are skipped if at least this fraction is expected, and there are at most this many channels: more would
/// need blocking.
inline constexpr double least_zeros = 0.75;
inline constexpr int most_sparse_channels = 64;
/// Winograd's F(2, 3) pays from this many channels of the input and of the output on: its transforms grow with their
/// number, the products that it saves with their square.
inline constexpr int least_winograd_channels = 16;
/// Leaving out dropped channels pays if at most this fraction of the work is left: images are transposed for it twice.
inline constexpr double most_work_with_dropped_channels = 0.75;

}  // namespace host_kernels

SINTER_NAMESPACE_END
