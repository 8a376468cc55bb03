// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Ops [first, last): a thread takes an element of the output through all of them in registers. The first is a product,
/// a pool or a row function; the others, or all of them where nothing comes first, ride.
struct Stage {
  OpKind source = OpKind::map;  // map: nothing but riders, on a stored value
  int first = 0, last = 0;
  int pool = -1;  // the max pool that rides, if any

  constexpr int first_rider() const { return source == OpKind::map ? first : first + 1; }
};

/// What rides on a GPU: maps and masks anywhere but behind a row function, and a max pool in the convolution before it
/// where its windows tile the image and hold at most `most_window` numbers, which a thread keeps in registers.
/// Of a window only the largest number has a gradient: so a stage keeps one number for each window, and which it was.
template <class Model>
struct Stages {
  using Ops = Program<Model>;
  static constexpr int op_count = Ops::op_count;
  static constexpr int inputs = Ops::input.size(), outputs = Ops::output.size();
  static constexpr int most_window = 4;

  static constexpr const Op& op(int i) { return Ops::ops[static_cast<std::size_t>(i)]; }

 private:
  struct Cut {
    std::array<Stage, op_count + 1> at{};
    int count = 0;
  };
  static constexpr bool rides(const Stage& stage, const Op& o) {
    if (stage.source == OpKind::row) return false;
    if (o.kind == OpKind::map || o.kind == OpKind::mask) return true;
    return o.kind == OpKind::pool && !o.average && stage.source == OpKind::product && !op(stage.first).whole &&
           stage.pool < 0 && o.in == op(stage.first).out && o.window.tiles() && o.window.taps() <= most_window;
  }
  static constexpr Cut cut() {
    Cut stages;
    for (int i = 0; i < op_count; ++i) {
      const Op& o = op(i);
      if (stages.count > 0 && rides(stages.at[static_cast<std::size_t>(stages.count - 1)], o)) {
        Stage& stage = stages.at[static_cast<std::size_t>(stages.count - 1)];
        if (o.kind == OpKind::pool) stage.pool = i;
        stage.last = i + 1;
      } else {
        const bool element_wise = o.kind == OpKind::map || o.kind == OpKind::mask;
        stages.at[static_cast<std::size_t>(stages.count++)] = {element_wise ? OpKind::map : o.kind, i, i + 1, -1};
      }
    }
    return stages;
  }
  static constexpr Cut all = cut();

 public:
  static constexpr int count = all.count;
  static constexpr const Stage& at(int s) { return all.at[static_cast<std::size_t>(s)]; }
  /// Whether a stage begins with a product of windows, or a pool: what reads and makes images.
  static constexpr bool on_images(int s) {
    const Op& source = op(at(s).first);
    return source.kind == OpKind::pool || (source.kind == OpKind::product && !source.whole);
  }
  /// The images that a stage makes; what rides behind may take them for plain numbers.
  static constexpr const auto& images(int s) { return op(at(s).pool < 0 ? at(s).first : at(s).pool).out; }
  /// How far two channels of a stage's outputs lie apart, and of its gradients and winners: of images an odd number, so
  /// that channels lie in different banks of shared memory.
  static constexpr int output_plane(int s) {
    const int pixels = images(s).pixels();
    const bool to_images = s + 1 < count && on_images(s + 1) && op(at(s + 1).first).in == images(s);
    return to_images && at(s).source != OpKind::row ? pixels | 1 : pixels;
  }
  static constexpr int gradient_plane(int s) { return on_images(s) ? images(s).pixels() | 1 : images(s).pixels(); }
  /// The mask of whole channels in a stage, or -1.
  static constexpr int channel_mask(int s) {
    for (int i = at(s).first_rider(); i < at(s).last; ++i)
      if (op(i).kind == OpKind::mask && op(i).per_channel) return i;
    return -1;
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
