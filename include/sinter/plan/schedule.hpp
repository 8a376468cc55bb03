// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/plan/stages.hpp"

SINTER_NAMESPACE_BEGIN

/// A step in segments: all tiles must be finished between two of them, because a stage reads a value of the batch.
/// Within a segment a tile runs all stages without waiting. Backward runs the segments in reverse.
template <class Cut>
struct Schedule {
 private:
  static constexpr int segment(int stage) {
    int segment = 0;
    for (int s = 1; s <= stage; ++s) segment += waits(s);
    return segment;
  }
  /// Whether a stage reads statistics that are gathered in the segment so far.
  static constexpr bool waits(int s) {
    if (Cut::at(s).source != Source::normalize) return false;
    const int gathers = Cut::producer(Cut::op(Cut::at(s).first).inputs[1]);
    for (int between = s - 1; between > gathers; --between)
      if (waits(between)) return false;
    return true;
  }

 public:
  static constexpr int count = Cut::count == 0 ? 1 : segment(Cut::count - 1) + 1;
  /// The first stage of a segment; Cut::count after the last one.
  static constexpr int first(int number) {
    int s = 0;
    while (s < Cut::count && segment(s) < number) ++s;
    return s;
  }
  /// For describe(): a line where stage `s` begins one of several segments.
  static void describe(std::string& to, int s) {
    if (count == 1 || (s > 0 && segment(s) == segment(s - 1))) return;
    to += "segment " + std::to_string(segment(s) + 1) + " of " + std::to_string(count);
    to += segment(s) == 0 ? ":\n" : ", when all of the batch has arrived:\n";
  }
};

SINTER_NAMESPACE_END
