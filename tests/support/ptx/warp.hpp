// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// 32 threads: their registers, and where each of them is. Lanes at one instruction are a group; the group at the
/// lowest instruction goes first, so lanes that parted meet again where their paths do.
class Warp {
 public:
  struct Group {
    int at;
    std::uint32_t lanes;
  };

  Warp(const Kernel& kernel, int first_thread, int threads)
      : first_thread_(first_thread),
        lanes_(threads >= lanes_of_warp ? all_lanes : (1u << threads) - 1),
        rows_(kernel.row_bytes / sizeof(Line) + 1, poisoned()),
        predicates_(static_cast<std::size_t>(kernel.predicates), 0xaaaaaaaau),
        groups_{{0, lanes_}} {}

  template <class T>
  T* row(std::uint32_t at) {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(rows_.data()) + at);
  }
  std::uint32_t& predicate(std::uint32_t number) { return predicates_[number]; }

  int thread(int lane) const { return first_thread_ + lane; }
  std::uint32_t lanes() const { return lanes_; }

  bool ended() const { return groups_.empty(); }
  /// The lanes that go next, out of the others.
  Group take() {
    const Group group = groups_.front();
    groups_.erase(groups_.begin());
    return group;
  }
  int next_at() const { return groups_.empty() ? std::numeric_limits<int>::max() : groups_.front().at; }
  void put(Group group) {
    auto place = groups_.begin();
    while (place != groups_.end() && place->at < group.at) ++place;
    if (place != groups_.end() && place->at == group.at)
      place->lanes |= group.lanes;
    else
      groups_.insert(place, group);
  }
  std::uint32_t running() const {
    std::uint32_t lanes = 0;
    for (const Group& group : groups_) lanes |= group.lanes;
    return lanes;
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  static Line poisoned() {
    Line line;
    for (std::byte& b : line.bytes) b = std::byte{0xff};
    return line;
  }

  int first_thread_;
  std::uint32_t lanes_;
  std::vector<Line> rows_;
  std::vector<std::uint32_t> predicates_;
  std::vector<Group> groups_;  // by where they are
};

}  // namespace sinter_test::ptx
