// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "sinter/kernels/cuda/stages.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where the numbers of one sample lie in its record, counted in elements. Records follow one another in the memory of
/// a team. In inference outputs take turns in two places; training keeps what backward reads. `ByFours` all begins at a
/// multiple of 4, and is read so; with `Several` rows besides, 16 numbers of each of four neighbours lie in no more than
/// two for each bank of shared memory. Else the same element of 32 samples lies in 32 banks.
template <class Model, bool Training, bool ByFours, bool Several = false>
class Record {
  using S = Stages<Model>;
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  struct Layout {
    std::array<int, S::op_count + 1> output{}, gradient{}, winner{};  // of each stage
    std::array<int, S::op_count + 1> saved{}, mask{};                 // of each op
    int output_gradient = 0, loss = 0, size = 0;
  };
  static constexpr int by_fours(int n) { return (n + 3) / 4 * 4; }
  static constexpr Layout lay_out() {
    Layout l;
    l.size = S::Ops::input.size();
    int turn[2] = {};
    for (int s = 0; !Training && s < S::count; ++s) {
      const int needed = channels(s) * S::output_plane(s);
      turn[s % 2] = turn[s % 2] < needed ? needed : turn[s % 2];
    }
    turn[0] = by_fours(turn[0]);
    if (!Training) l.size = by_fours(l.size);
    const auto place = [&l](int& at, int size) {
      if (ByFours) l.size = by_fours(l.size);
      at = l.size;
      l.size += size;
    };
    for (int s = 0; s < S::count; ++s) {
      const Stage& stage = S::at(s);
      if (!Training) {
        l.output[index(s)] = l.size + (s % 2) * turn[0];
        continue;
      }
      place(l.output[index(s)], channels(s) * S::output_plane(s));
      place(l.gradient[index(s)], channels(s) * S::gradient_plane(s));
      if (keeps_winner(s)) place(l.winner[index(s)], channels(s) * S::gradient_plane(s));
      for (int i = stage.first_rider(); i < stage.last; ++i) {
        const Op& o = S::op(i);
        if (o.kind == OpKind::map && saves(s, i)) place(l.saved[index(i)], outputs(s));
        if (o.kind == OpKind::mask) place(l.mask[index(i)], decisions(o));
      }
    }
    if (Training) {
      place(l.output_gradient, S::Ops::output.size());
      place(l.loss, 1);
    } else {
      l.size += turn[0] + turn[1];
    }
    l.size = !ByFours ? l.size | 1 : Several ? (l.size + 23) / 32 * 32 + 8 : by_fours(l.size);
    return l;
  }
  static constexpr Layout layout = lay_out();

 public:
  static constexpr int outputs(int s) { return S::op(S::at(s).last - 1).out.size(); }
  static constexpr int channels(int s) { return S::images(s).channels; }
  static constexpr int decisions(const Op& mask) { return mask.per_channel ? mask.in.channels : mask.in.size(); }
  static constexpr bool keeps_winner(int s) {
    const Stage& stage = S::at(s);
    return stage.pool >= 0 || (stage.source == OpKind::pool && !S::op(stage.first).average);
  }
  /// Whether the map `i` keeps a number of its own for backward: not where it reads the output, which the stage keeps.
  static constexpr bool saves(int s, int i) { return !(S::op(i).backward_reads_output && i == S::at(s).last - 1); }

  // Of stage S, and of op I. Device code may read a constant but not call a function of the host, so these are no functions.
  template <int Number>
  static constexpr int input = Number == 0 ? 0 : layout.output[index(Number == 0 ? 0 : Number - 1)];
  template <int Number>
  static constexpr int output = layout.output[index(Number)];
  template <int Number>
  static constexpr int gradient = layout.gradient[index(Number)];
  template <int Number>
  static constexpr int winner = layout.winner[index(Number)];
  template <int I>
  static constexpr int saved = layout.saved[index(I)];
  template <int I>
  static constexpr int mask = layout.mask[index(I)];
  template <int Number, int I>
  static constexpr bool keeps = Training && saves(Number, I);
  static constexpr int output_gradient = layout.output_gradient;
  static constexpr int loss = layout.loss;
  static constexpr int size = layout.size;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
