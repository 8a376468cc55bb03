// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/kernels/gpu/capability.hpp"
#include "sinter/kernels/gpu/record.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where the weights of a convolution are: [channel][its input channel][line of taps][tap]. Staged ones are read
/// `at_once` taps of a line at a time: lines are of a length that this divides, and channels an odd number of times it,
/// so that threads with different channels and threads with different taps access different banks.
struct WeightLayout {
  int line, at_once, plane, channel, size;

  constexpr WeightLayout(const Op& op, bool staged)
      : line(staged && op.window.width > 1 ? op.window.width + op.window.width % 2 : op.window.width),
        at_once(!staged || line % 2 != 0 ? 1
                : line % 4 != 0          ? 2
                                         : 4),
        plane(op.window.height * line),
        channel(op.in.channels / op.window.groups * plane),
        size(0) {
    if (staged) channel += channel / at_once % 2 == 0 ? at_once : 0;
    size = op.out.channels * channel;
    if (staged) size = (size + 3) / 4 * 4;
  }
};

/// A block that has few rows keeps the weights of convolutions in shared memory, because every window reads all of
/// them. The weights of whole products are read once for a tile, by cache lines, and stay in device memory.
template <class Model, bool Cut = true>
struct Staged {
  using S = Stages<Model, Cut>;

 private:
  static constexpr int weights_before(int stage) {
    int all = 0;
    for (int s = 0; s < stage; ++s) {
      const Op& source = S::op(S::at(s).first);
      if (S::at(s).source == Source::convolution) all += WeightLayout(source, true).size;
    }
    return all;
  }

 public:
  template <int Stage>
  static constexpr int at = weights_before(Stage);
  static constexpr int size = weights_before(S::count);
};

SINTER_HOST_DEVICE constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// The layout of a team's memory, in bytes: staged weights, parts of sums, records, and each row's number in the
/// dataset.
template <class Model, class T, bool Training, int ExpectedRows>
struct TeamMemory {
  using Record = gpu_kernels::Record<Model, Training, (ExpectedRows <= Expected::some), (ExpectedRows > Expected::few)>;
  static constexpr std::size_t number = sizeof(T);

 private:
  static constexpr bool cut = cut_of<Model, Training>;
  struct Parts {
    int always = 0, of_row = 0;
  };
  template <int S>
  static constexpr Parts parts_of() {
    if constexpr (Stages<Model, cut>::at(S).is_product()) {
      using G = Geometry<Model, S, cut>;
      // A resident network has no gradient of its input.
      constexpr bool wants_input = Stages<Model, cut>::wants_input_gradient(S) ||
                                   (ExpectedRows != Expected::large && ExpectedRows != Expected::resident);
      const int forward = ForwardWork<G, ExpectedRows>::sums,
                input = wants_input ? InputWork<G, ExpectedRows>::sums : 0;
      if (!Training) return {0, forward};
      return {WeightWork<G, ExpectedRows>::partials, forward > input ? forward : input};
    } else if constexpr (Training && Stages<Model, cut>::at(S).source == Source::statistics) {
      return {0, 3 * Geometry<Model, S, cut>::in_channels};
    } else {
      return {};
    }
  }
  template <int... S>
  static constexpr Parts most_parts(std::integer_sequence<int, S...>) {
    Parts most;
    ((most.always = std::max(most.always, parts_of<S>().always)), ...);
    ((most.of_row = std::max(most.of_row, parts_of<S>().of_row)), ...);
    return most;
  }
  static constexpr Parts parts = most_parts(std::make_integer_sequence<int, Stages<Model, cut>::count>{});
  static constexpr std::size_t most_parts_of_row = ExpectedRows >= Expected::grid ? most_piece_parts : some_parts;
  static constexpr std::size_t parts_always = static_cast<std::size_t>(parts.always),
                               parts_of_row = static_cast<std::size_t>(parts.of_row);

 public:
  static constexpr std::size_t row_bytes = static_cast<std::size_t>(Record::size) * number + sizeof(std::uint32_t);

  /// Elements for parts of sums.
  SINTER_HOST_DEVICE static constexpr std::size_t partials(int rows) {
    const std::size_t of_rows =
        static_cast<std::size_t>(rows) * parts_of_row + (parts_of_row > 0 ? most_parts_of_row * between_parts : 0);
    return of_rows > parts_always ? of_rows : parts_always;
  }
  /// Weights are staged where a sample fits the same devices with them: elements.
  static constexpr std::size_t staged = [] {
    constexpr std::size_t size = Staged<Model>::size, rest = round_up(partials(1) * number) + row_bytes;
    const bool same = smallest_block(rest) == smallest_block(round_up(size * number) + rest + 16);
    return ExpectedRows == Expected::tile && same ? size : 0;
  }();
  static constexpr std::size_t partials_at = round_up(staged * number);
  SINTER_HOST_DEVICE static constexpr std::size_t records_at(int rows) {
    return partials_at + round_up(partials(rows) * number);
  }
  SINTER_HOST_DEVICE static constexpr std::size_t bytes(int rows) {
    return round_up(records_at(rows) + static_cast<std::size_t>(rows) * row_bytes);
  }
  SINTER_HOST_DEVICE static constexpr std::size_t chosen_at(int rows) {
    return records_at(rows) + static_cast<std::size_t>(rows) * (Record::size * number);
  }
  /// How many rows fit in `limit` bytes.
  static constexpr int rows_in(std::size_t limit) {
    if (bytes(1) > limit) return 0;
    int fit = 1, more = 1 << 24;
    while (more - fit > 1) {
      const int middle = fit + (more - fit) / 2;
      (bytes(middle) <= limit ? fit : more) = middle;
    }
    return fit;
  }
  /// Rows of a tile in the device's memory: few enough that it takes at most `limit` bytes, where one row does.
  static constexpr int rows_far(int batch, std::size_t limit) {
    const int rows = rows_in(limit);
    return rows < 1 ? 1 : rows < batch ? rows : batch;
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
