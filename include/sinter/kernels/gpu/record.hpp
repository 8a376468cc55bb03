// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/pack.hpp"
#include "sinter/kernels/gpu/stages.hpp"
#include "sinter/model/head_count.hpp"
#include "sinter/plan/lifetimes.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The number of the winner in a pool's window is kept in a record as its bits, so that nothing converts it.
template <class T>
using WinnerBits = std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
template <class T>
SINTER_FN T kept_winner(int number) {
  return fn::bit_cast<T>(static_cast<WinnerBits<T>>(number));
}
template <class T>
SINTER_FN int winner_in(T kept) {
  return static_cast<int>(fn::bit_cast<WinnerBits<T>>(kept));
}

/// The layout of one sample's record, in elements. Records are contiguous in the memory of a team. Training keeps what
/// backward reads. With `ByFours`, everything begins at a multiple of 4 and is read by fours; with `Several` rows
/// besides, 16 numbers of each of four neighbours access each bank of shared memory at most twice. Otherwise the same
/// element of 32 samples is in 32 banks.
template <class Model, bool Training, bool ByFours, bool Several = false>
class Record {
  using S = Stages<Model, cut_of<Model, Training>>;
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

  struct Layout {
    std::array<int, S::op_count + 1> value{}, gradient{}, winner{};  // of each value, and of each stage
    std::array<int, S::op_count + 1> saved{}, mask{};                // of each op
    std::array<int, S::Ops::read_count + 1> read_gradient{};         // of each read of a value by several
    int output_gradient = 0, loss = 0, size = 0;
  };
  static constexpr int by_fours(int n) { return (n + 3) / 4 * 4; }
  static constexpr int kept_of(int s) { return numbers_kept(S::at(s), S::op(S::at(s).first), Training); }
  static constexpr Layout lay_out() {
    Layout l;
    l.size = S::Ops::input.size();
    if constexpr (Training)
      place_all(l);
    else
      place_outputs(l);
    l.size = !ByFours ? l.size | 1 : Several ? (l.size + 23) / 32 * 32 + 8 : by_fours(l.size);
    return l;
  }
  static constexpr void place_all(Layout& l) {
    const auto place = [&l](int& at, int size) {
      if (ByFours) l.size = by_fours(l.size);
      at = l.size;
      l.size += size;
    };
    for (int s = 0; s < S::count; ++s) {
      const Stage& stage = S::at(s);
      const auto& output = S::value(stage.output);
      if (const int kept = kept_of(s); kept > 0) place(l.saved[index(stage.first)], kept);
      if (stage.source == Source::statistics) continue;
      place(l.value[index(stage.output)], channels(s) * S::output_plane(s));
      place(l.gradient[index(s)], channels(s) * S::gradient_plane(s));
      if (keeps_winner(s)) place(l.winner[index(s)], channels(s) * S::gradient_plane(s));
      for (int i = stage.first_rider(); i < stage.last; ++i) {
        const Op& o = S::op(i);
        if (o.kind == OpKind::map && saves(s, i)) place(l.saved[index(i)], outputs(s));
        if (o.kind == OpKind::mask) place(l.mask[index(i)], decisions(o));
      }
      for (int turn = 0; turn + 1 < output.read_count; ++turn)
        place(l.read_gradient[index(S::GradientOrder::in_turn(stage.output, turn))], outputs(s));
    }
    for (int turn = 0; turn + 1 < S::value(0).read_count; ++turn)
      place(l.read_gradient[index(S::GradientOrder::in_turn(0, turn))], S::inputs);
    place(l.output_gradient, S::Ops::output.size());
    place(l.loss, 1 + head_count<Model>);
  }
  /// In inference the outputs of stages follow the input, placed by their lifetimes.
  static constexpr void place_outputs(Layout& l) {
    Lifetime lifetime[2 * S::op_count + 1]{};
    int count = S::count;
    for (int s = 0; s < S::count; ++s) {
      const auto& output = S::value(S::at(s).output);
      int last_use = s;
      for (int r = 0; r < output.read_count; ++r) last_use = S::of_op(S::Ops::readers[index(output.first_read + r)]);
      if (S::at(s).output == S::Ops::output_value) last_use = S::count;
      lifetime[s] = {channels(s) * S::output_plane(s), s, last_use, 0};
      if (const int kept = kept_of(s); kept > 0) lifetime[count++] = {kept, s, s, 0};
    }
    const int begin = by_fours(l.size);
    l.size = begin + place_by_lifetime(lifetime, count, 4);
    for (int s = S::count - 1; s >= 0; --s) {
      l.value[index(S::at(s).output)] = begin + lifetime[s].offset;
      if (kept_of(s) > 0) l.saved[index(S::at(s).first)] = begin + lifetime[--count].offset;
    }
  }
  static constexpr Layout layout = lay_out();

 public:
  static constexpr int outputs(int s) { return S::op(S::at(s).last - 1).out.size(); }
  static constexpr int channels(int s) { return S::images(s).channels; }
  static constexpr int decisions(const Op& mask) { return mask.per_channel ? mask.in.channels : mask.in.size(); }
  static constexpr bool keeps_winner(int s) {
    const Stage& stage = S::at(s);
    return stage.pool >= 0 || (stage.source == Source::pool && !S::op(stage.first).average);
  }
  /// Whether the map `i` keeps a number of its own for backward: not where it reads the output, which the stage keeps.
  static constexpr bool saves(int s, int i) { return !(S::op(i).backward_reads_output && i == S::at(s).last - 1); }

  // Of a value, a stage, a read of a value, and an op. Constants rather than functions: device code may read them, but
  // not call a function of the host.
  template <int Number>
  static constexpr int value = layout.value[index(Number)];
  template <int Number>
  static constexpr int input = value<S::at(Number).input>;
  template <int Number>
  static constexpr int output = value<S::at(Number).output>;
  template <int Number>
  static constexpr int gradient = layout.gradient[index(Number)];
  template <int Number>
  static constexpr int winner = layout.winner[index(Number)];
  template <int Read>
  static constexpr int read_gradient = layout.read_gradient[index(Read)];
  template <int Index>
  static constexpr int saved = layout.saved[index(Index)];
  template <int Index>
  static constexpr int mask = layout.mask[index(Index)];
  template <int Number, int Index>
  static constexpr bool keeps = Training && saves(Number, Index);
  static constexpr int output_gradient = layout.output_gradient;
  static constexpr int loss = layout.loss;
  static constexpr int size = layout.size;
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
