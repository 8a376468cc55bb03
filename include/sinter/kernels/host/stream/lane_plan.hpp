// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/stream/stream_plan.hpp"
#include "sinter/kernels/host/tile/tile.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The plan of many streams of a model that advance together: a pack of streams as the samples of a tile, one moment
/// after another. In addition to the memory of the tile there are ring buffers of what convolutions read again, the
/// states of cells, and the keys and values of attention, which each stream has for itself: their positions differ.
template <class StreamPlan>
struct LanePlan {
  using Streams = StreamPlan;
  using P = typename Streams::Plan;
  static constexpr int L = P::lanes;
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static constexpr const Op& source(int s) { return P::source(s); }

  /// Whether a stage is a product with a row of its weight for each position.
  static constexpr bool is_table(int s) { return Streams::InTime::is_table(P::stage(s).first); }
  /// Whether a stage reads windows along the time.
  static constexpr bool slides(int s) { return Streams::slides(s) && !is_table(s); }
  /// Whether a stage is the first one of causal attention, which reads queries and keys.
  static constexpr bool makes_scores(int s) {
    return source(s).kind == OpKind::matrix_product && Streams::timing(source(s).output).attention == Attention::scores;
  }
  /// That of a stage that attends.
  static constexpr int scores_of(int s) { return P::Cut::producer(Streams::scores(s).output); }

  /// Whether every value has a number at every moment, computed from the input up to then, and only attention and
  /// convolutions of all channels read earlier ones.
  static constexpr bool possible = [] {
    for (int s = 0; s < P::stage_count; ++s) {
      const Timing& t = Streams::timing(Streams::output(s));
      if (t.period != 1 || t.delay != 0) return false;
      if (source(s).kind == OpKind::pool && !t.each) return false;
      if (slides(s) && source(s).window.groups != 1) return false;
    }
    return true;
  }();

  struct Ring {
    int offset = 0, frames = 0;
  };
  /// The ring of each value that convolutions read; after the last one, where they end. In packs.
  static constexpr std::array<Ring, index(P::Ops::value_count + 1)> rings = [] {
    std::array<Ring, index(P::Ops::value_count + 1)> all{};
    for (int s = 0; s < P::stage_count; ++s)
      if (slides(s)) {
        int& frames = all[index(P::stage(s).input)].frames;
        frames = std::max(frames, 1 + source(s).window.padding_width);
      }
    int offset = 0;
    for (int v = 0; v <= P::Ops::value_count; ++v) {
      all[index(v)].offset = offset;
      if (all[index(v)].frames > 0) offset += all[index(v)].frames * Streams::numbers(v);
    }
    return all;
  }();
  /// Whether a stage is the first that reads windows of its input.
  static constexpr bool fills_ring(int s) {
    for (int earlier = 0; earlier < s; ++earlier)
      if (slides(earlier) && P::stage(earlier).input == P::stage(s).input) return false;
    return true;
  }
  /// Whether the window of a stage is the one that the last such stage before it has read.
  static constexpr bool has_window(int s) {
    int last = s - 1;
    while (last >= 0 && !slides(last)) --last;
    return last >= 0 && P::stage(last).input == P::stage(s).input && source(last).window == source(s).window;
  }
  /// The state of each stage that is a recurrence: h and c.
  static constexpr std::array<int, index(P::stage_count + 1)> cells = [] {
    std::array<int, index(P::stage_count + 1)> all{};
    int offset = rings[index(P::Ops::value_count)].offset;
    for (int s = 0; s < P::stage_count; ++s) {
      all[index(s)] = offset;
      if (P::stage(s).source == Source::recurrence) offset += round_up(source(s).h_size(), 8) + source(s).hidden;
    }
    all[index(P::stage_count)] = offset;
    return all;
  }();
  /// What passes from one moment to the next in the lanes; then what streams have for themselves, windows, products and
  /// the tile, which begin on a cache line.
  static constexpr int state = cells[index(P::stage_count)];
  /// Numbers that each stream has for itself: of a stage that attends the keys and values, which pass to the next
  /// moment, and of one that makes scores the query and the key of this moment.
  static constexpr int apart_size(int s) {
    if (Streams::attends(s)) return Streams::attention(s).kept();
    return makes_scores(s) ? round_up(source(s).in.size() + source(s).second.size(), StreamAttention::line) : 0;
  }
  static constexpr std::array<int, index(P::stage_count + 1)> apart = [] {
    std::array<int, index(P::stage_count + 1)> all{};
    all[0] = round_up(state, P::line);
    for (int s = 0; s < P::stage_count; ++s) all[index(s + 1)] = all[index(s)] + apart_size(s);
    return all;
  }();
  /// Numbers of a stream that pass from one moment to the next.
  static constexpr int state_of_stream = [] {
    int numbers = state;
    for (int s = 0; s < P::stage_count; ++s)
      if (Streams::attends(s)) numbers += apart_size(s);
    return numbers;
  }();
  static constexpr int windows = apart[index(P::stage_count)];
  static constexpr int products = windows + [] {
    int most = 0;
    for (int s = 0; s < P::stage_count; ++s)
      if (slides(s)) most = std::max(most, Streams::terms(s));
    return round_up(most, P::line);
  }();
  /// The outputs of attention in packs; then the value, the weights and the outputs of one stream.
  static constexpr int attended_packs(int s) { return round_up(Streams::attention(s).values(), P::line); }
  static constexpr int value_size(int s) { return round_up(Streams::attention(s).values(), StreamAttention::line); }
  static constexpr int tile = products + [] {
    int most = 0;
    for (int s = 0; s < P::stage_count; ++s)
      if (P::stage(s).source == Source::recurrence)
        most = std::max(most, 2 * round_up(Streams::rows(source(s)), 8) + round_up(source(s).hidden, 8));
      else if (source(s).kind == OpKind::product)
        most = std::max(most, round_up(source(s).out.size(), 8));
      else if (Streams::attends(s))
        most = std::max(most, attended_packs(s) + divide_up(value_size(s) + Streams::attention(s).scratch(), L));
    return round_up(most, P::line);
  }();
  /// Numbers of a pack of streams.
  static constexpr std::size_t size =
      static_cast<std::size_t>(tile * L + tile_stride(Tile<P, false>::memory_plan.packs, L));
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
