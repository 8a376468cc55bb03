// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/plan/plan.hpp"
#include "sinter/kernels/host/products/recurrence.hpp"
#include "sinter/kernels/host/products/winograd.hpp"
#include "sinter/ops/matrix_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The operands of a convolution that skips zeros: channels last, padded to whole wide registers.
template <class P>
struct SparseLayout {
  static constexpr int padded_channels(int s) { return round_up(P::source(s).in.channels, P::wide_lanes); }
  /// The image with its edge.
  static constexpr Dims bordered(int s) {
    const Op& o = P::source(s);
    return image(o.in.channels, o.in.height + 2 * o.window.padding_height, o.in.width + 2 * o.window.padding_width);
  }
  /// Elements for a weight gradient of one output channel.
  static constexpr int packed_row(int s) {
    const Op& o = P::source(s);
    return P::taps_in_lanes(s) ? o.in.channels * o.window.height * P::lanes : o.window.taps() * padded_channels(s);
  }
  /// Packs for all of them.
  static constexpr int packed_size(int s) { return divide_up(P::source(s).out.channels * packed_row(s), P::lanes); }
  /// Room for the non-zeros of one channel of one sample.
  static constexpr int list_length(int s) { return round_up(P::gradient_dims(s).pixels(), P::lanes) + P::lanes; }
  static constexpr int transposed_size(int s) {
    return P::taps_in_lanes(s) ? 0 : round_up(bordered(s).pixels() * padded_channels(s), P::line);
  }
  static constexpr int scratch(int s) {
    return 2 * transposed_size(s) + P::source(s).out.channels * (2 * list_length(s) + 1) + 2 * P::line;
  }
};

/// Packs for the images of a tile and the sums of their convolution, where dropped channels are left out.
template <class P>
constexpr int dropped_channels_scratch(int s) {
  const Window edge = P::edge(P::stage(s).input);
  const Dims in = P::source(s).in, out = P::source(s).out;
  const int image = in.channels * (in.height + 2 * edge.padding_height) * (in.width + 2 * edge.padding_width);
  return round_up(image, 16) + 64 + out.channels * out.height * round_up(out.width, P::lanes);
}

/// Packs before those of the kernel itself, for an input without its edge.
template <class P>
constexpr int gathered_size(int s) {
  return P::gathers(s) ? round_up(P::source(s).in.size(), P::line) : 0;
}

/// The working memory of a recurrence, in packs: its first state; forward, the products with h and, in inference, the
/// kept numbers of a few steps, h, and what h is projected from; backward, the gradients of these and of the state, dx,
/// and the memory of gradient_of_steps.
template <class P>
struct RecurrenceScratch {
  static constexpr int most_together = 8;  // steps
  static constexpr int packs_of_panel = batch_packs(P::ISA::registers);
  int together = 0, state = 0, u = 0, kept = 0, h = 0, m = 0, forward = 0;
  int dh = 0, dc = 0, dm = 0, dstate = 0, dx = 0, transposed = 0, backward = 0;

  constexpr explicit RecurrenceScratch(int s) {
    const Op& op = P::source(s);
    const int steps = op.in.channels;
    together = steps < most_together ? steps : most_together;
    state = gathered_size<P>(s);
    u = dh = state + (op.learned > 0 || op.given > 0 ? op.h_size() + op.hidden : 0);
    kept = u + op.gates * op.hidden;
    h = kept + together * op.kept * op.hidden;
    m = h + (op.out.rank == 2 || op.lengths > 0 ? steps : 1) * op.h_size();
    forward = m + (op.projected > 0 ? op.hidden : 0);
    dc = dh + op.h_size();
    dm = dc + op.hidden;
    dstate = dm + (op.projected > 0 ? op.hidden : 0);
    dx = dstate + (op.given > 0 ? op.channels[op.given] : 0);
    transposed = round_up(dx + op.in.size(), P::line);
    backward = transposed + steps * packs_of_panel * P::lanes + 1;
  }
};

/// The working memory of a recurrence of one sample, in numbers: its transposed weights, their products, the state and
/// the outputs. Vectors are read and written beyond the last number of each.
struct SingleRecurrence {
  int rows, padded, padded_h, w_ih, w_hh, w_hr, a, u, c, m, h, size;
  constexpr SingleRecurrence(const Op& op, int lanes)
      : rows(op.gates * op.hidden),
        padded(round_up(rows, lanes)),
        padded_h(round_up(op.h_size(), lanes)),
        w_ih(0),
        w_hh(op.in.width * padded),
        w_hr(w_hh + op.h_size() * padded),
        a(w_hr + (op.projected > 0 ? op.hidden * padded_h : 0)),
        u(a + padded + lanes),
        c(u + padded + lanes),
        m(c + round_up(op.hidden, lanes)),
        h(m + (op.projected > 0 ? round_up(op.hidden, lanes) : 0)),
        size(h + round_up((op.out.rank == 2 ? op.in.channels : 1) * op.h_size(), lanes) + lanes) {}
};

/// The working memory of a product of matrices, in packs: a matrix of its results, and inputs without their border.
struct MatrixProductScratch {
  int operand[2]{}, size = 0;
  template <class P>
  static constexpr MatrixProductScratch of(int s, bool backward) {
    const Op& op = P::source(s);
    MatrixProductScratch at;
    at.size = MatrixTerms::size(op, MatrixTerms::gradient);
    if (backward)
      at.size = std::max(MatrixTerms::size(op, MatrixTerms::first), MatrixTerms::size(op, MatrixTerms::second));
    for (int k = 0; k < 2; ++k) {
      at.operand[k] = at.size = round_up(at.size, P::line);
      if (P::has_edge(op.inputs[k])) at.size += op.seen(k).size();
    }
    return at;
  }
};

/// The same for one sample, in numbers: results whose rows are padded to whole packs, the second matrix with its
/// columns side by side, padded in the same way, and inputs without their border.
struct SingleMatrixProduct {
  int padded, right, operand[2], size;
  constexpr SingleMatrixProduct(const Op& op, int lanes)
      : padded(round_up(MatrixTerms::forward(op).columns, lanes)),
        right(round_up(MatrixTerms::forward(op).rows * padded, 16)),
        operand{right + round_up(MatrixTerms::forward(op).terms * padded, 16),
                operand[0] + round_up(op.in.size() + lanes, 16)},
        size(operand[1] + round_up(op.second.size() + lanes, 16)) {}
};

/// The working memory of a kernel, in packs.
template <class P>
constexpr int forward_scratch(int s, bool training) {
  switch (P::stage(s).source) {
    case Source::matrix_product:
      return MatrixProductScratch::of<P>(s, false).size;
    case Source::recurrence:
      return training ? RecurrenceScratch<P>(s).kept : RecurrenceScratch<P>(s).forward;
    case Source::convolution:
      if (training && P::skips_channels(s)) return dropped_channels_scratch<P>(s);
      return P::by_winograd(s) ? 4 * WinogradLayout::forward(P::source(s)).rows() : 0;
    case Source::matmul:
    case Source::row:
      return gathered_size<P>(s);
    case Source::transposed:
    case Source::pool:
    case Source::concat:
    case Source::elementwise:
    case Source::index_map:
    case Source::statistics:
    case Source::normalize:
    case Source::group_normalize:
    case Source::lookup:
    case Source::map:
      break;
  }
  return 0;
}
template <class P>
constexpr int backward_scratch(int s) {
  const int in = P::source(s).in.size();
  switch (P::stage(s).source) {
    case Source::matmul:
      return gathered_size<P>(s) + round_up(in, 16) + 16;  // transposed, or dx
    case Source::pool:
      return in;
    case Source::matrix_product:
      return MatrixProductScratch::of<P>(s, true).size;
    case Source::recurrence:
      return RecurrenceScratch<P>(s).backward;
    case Source::convolution:
      if (P::sparse(s)) return SparseLayout<P>::scratch(s);
      return P::by_winograd(s) ? 4 * WinogradLayout::backward(P::source(s)).rows() : 0;
    case Source::transposed:
    case Source::concat:
    case Source::elementwise:
    case Source::index_map:
    case Source::statistics:
    case Source::normalize:
    case Source::group_normalize:
    case Source::lookup:
    case Source::row:
    case Source::map:
      break;
  }
  return 0;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
