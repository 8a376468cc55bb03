// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/plan/gradient_order.hpp"
#include "sinter/plan/stages.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// What rides on a GPU: maps and masks anywhere except after a row function, and a max pool in the convolution before
/// it where its windows tile the image and hold at most 4 numbers, which a thread keeps in registers. Of a window only
/// the largest number has a gradient: so a stage keeps one number for each window, and which it was. An add has a
/// gradient everywhere, so no pool rides after one.
struct Rules {
  static constexpr bool rides(const Stage& stage, const Op& source, const Op&, const Op& op) {
    return op.kind != OpKind::pool ||
           (!op.average && stage.source == Source::convolution && stage.pool < 0 && !stage.adds &&
            op.in == source.out && op.window.tiles() && op.window.taps() <= 4);
  }
};

/// What a record keeps of the moments of an op's groups, in numbers. A group is taken in lines, one for each channel of
/// an image, and a line in chunks.
struct Moments {
  static constexpr int groups_of(const Op& op) {
    return op.kind == OpKind::group_normalize ? op.groups : op.in.channels;
  }
  static constexpr int line_of(const Op& op) {
    return op.in.pixels() > 1 ? op.in.pixels() : op.in.size() / groups_of(op);
  }
  static constexpr int chunk_of(const Op& op) {
    const int line = line_of(op);
    for (int chunk = 64; chunk > 8; --chunk)  // of eight in a line, neighbours fill what is read from memory at once
      if (line % chunk == 0 && line / chunk >= 8) return chunk;
    return line % 8 == 0 ? 8 : line;
  }
  static constexpr int numbers(const Op& op) { return 3 * (op.in.size() / chunk_of(op)) + 5 * groups_of(op); }
  static constexpr bool kept(const Stage& stage) {
    return stage.source == Source::group_normalize || stage.source == Source::statistics;
  }
};

/// What a record keeps of a recurrence, for each direction, in numbers: those of the cells, [step][kept][hidden], h
/// [step][h_size], where h is projected m [step][hidden] that it is projected from, and its gradient; then the
/// gradients of h and c at one step.
struct RecurrentNumbers {
  static constexpr int h(const Op& op) { return op.in.channels * op.kept * op.hidden; }
  static constexpr int m(const Op& op) { return h(op) + op.in.channels * op.h_size(); }
  static constexpr int d(const Op& op) { return m(op) + (op.projected > 0 ? op.in.channels * op.hidden : 0); }
  static constexpr int dh(const Op& op) { return d(op) + (op.projected > 0 ? op.in.channels * op.h_size() : 0); }
  static constexpr int dc(const Op& op) { return dh(op) + op.h_size(); }
  static constexpr int of_direction(const Op& op, bool training) { return training ? dc(op) + op.hidden : d(op); }
};

/// What a record keeps of the op that a stage begins with, in numbers.
constexpr int numbers_kept(const Stage& stage, const Op& op, bool training) {
  if (stage.source == Source::recurrence) return op.directions * RecurrentNumbers::of_direction(op, training);
  return Moments::kept(stage) ? Moments::numbers(op) : 0;
}

/// The stages of a GPU: a thread takes an element of the output through one of them in registers.
template <class Model, bool Training = true>
struct Stages : internal::Stages<Model, Rules, Training> {
  using Cut = internal::Stages<Model, Rules, Training>;
  using Cut::at, Cut::count, Cut::op;
  using GradientOrder = internal::GradientOrder<Cut>;
  using typename Cut::Ops;
  /// Whether the rows of a batch depend on one another.
  static constexpr bool of_batch = [] {
    for (int s = 0; s < count; ++s)
      if (at(s).source == Source::statistics) return true;
    return false;
  }();
  /// Whether stage s is a normalisation and the stage before it gathers its statistics: both have a gradient for the
  /// same value, which one pass over it computes.
  static constexpr bool follows_statistics(int s) {
    return s > 0 && s < count && at(s).source == Source::normalize && at(s - 1).source == Source::statistics &&
           op(at(s).first).inputs[1] == at(s - 1).output;
  }
  template <int Number>
  static constexpr bool gathers_for_next = follows_statistics(Number + 1);
  static constexpr int inputs = Ops::input.size(), outputs = Ops::output.size();

  static constexpr const auto& value(int v) { return Ops::values[static_cast<std::size_t>(v)]; }
  /// The stage that makes a value, for device code.
  template <int Value>
  static constexpr int made_by = Cut::producer(Value);
  /// Whether a stage begins with a product of windows, or a pool: what reads and makes images.
  static constexpr bool on_images(int s) { return at(s).source == Source::convolution || at(s).source == Source::pool; }
  /// The images that a stage makes; riders may treat them as plain numbers.
  static constexpr const auto& images(int s) { return op(at(s).pool < 0 ? at(s).first : at(s).pool).out; }
  /// The distance between two channels of a stage's outputs, gradients and winners: an odd number for images, so that
  /// channels are in different banks of shared memory.
  static constexpr int output_plane(int s) {
    const int pixels = images(s).pixels();
    const auto& output = value(at(s).output);
    bool to_images = output.read_count > 0 && at(s).source != Source::row;
    for (int r = 0; r < output.read_count; ++r) {
      const int reader = Ops::readers[static_cast<std::size_t>(output.first_read + r)], stage = Cut::of_op(reader);
      to_images &= on_images(stage) && at(stage).first == reader && op(reader).in == images(s);
    }
    return to_images ? pixels | 1 : pixels;
  }
  static constexpr int gradient_plane(int s) { return on_images(s) ? images(s).pixels() | 1 : images(s).pixels(); }
  /// The same for what a stage reads.
  static constexpr int input_plane(int s) {
    const int producer = Cut::producer(at(s).input);
    const auto& in = op(at(s).first).in;  // after a Reshape, of another shape than what was made
    return producer < 0 || images(producer) != in ? in.pixels() : output_plane(producer);
  }
  /// The mask of whole channels in a stage, or -1.
  static constexpr int channel_mask(int s) {
    for (int i = at(s).first_rider(); i < at(s).last; ++i)
      if (op(i).kind == OpKind::mask && op(i).per_channel) return i;
    return -1;
  }
};

/// Whether a pass uses the stages of training. Inference has stages of its own only where they differ.
template <class Model, bool Training>
inline constexpr bool cut_of = Training || Program<Model>::buffer_count == 0;

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
