// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/ptx/instruction.hpp"
#include "support/ptx/touches.hpp"

namespace sinter_test::ptx {

/// Memory that kernels may touch.
struct Range {
  std::byte* data;
  std::size_t size;
};

/// What a launch can reach: allocations, the memory of the block that runs, and the arguments. Every access is
/// checked for its state space, its region, its alignment, and for races.
class Memory {
 public:
  /// Bytes of device memory, `ranges` in any order. Who touched them is remembered over launches.
  void begin_launch(std::vector<Range> ranges, std::span<const std::byte> arguments);
  /// Shared memory, and each thread's own, poisoned.
  void begin_block(std::size_t shared_bytes, std::size_t local_bytes, std::size_t threads);
  void begin_phase() { now_.begin_phase(); }
  /// The threads of a warp have waited for each other.
  void warp_meets(int warp) { now_.warp_meets(warp); }

  /// Where `bytes` at an address are; throws Fault, which says what is there instead.
  std::byte* find(const Instruction& i, std::uint64_t address, std::size_t bytes, int thread, bool write) {
    if (address % bytes != 0) refuse_alignment(address, bytes);
    unordered_ = i.unordered;
    if (i.space == Space::shared) return in_shared(address, bytes, thread, write);
    if (i.space == Space::local) return in_local(address, bytes, thread);
    if (i.space == Space::global) return in_global(address, bytes, thread, write);
    if (i.space == Space::parameter) return in_arguments(address, bytes, write);
    if (address >= parameter_window) return in_arguments(address, bytes, write);
    if (address >= shared_window) return in_shared(address - shared_window, bytes, thread, write);
    return in_global(address, bytes, thread, write);
  }

 private:
  struct Region {
    std::uintptr_t begin;
    std::size_t size;
    Touches* touches;
  };

  std::byte* in_shared(std::uint64_t address, std::size_t bytes, int thread, bool write);
  std::byte* in_local(std::uint64_t address, std::size_t bytes, int thread);
  std::byte* in_global(std::uint64_t address, std::size_t bytes, int thread, bool write);
  std::byte* in_arguments(std::uint64_t address, std::size_t bytes, bool write) const;
  const Region& region_of(std::uint64_t address, std::size_t bytes);
  void touch(Touches& touches, const Moments& now, std::size_t at, std::size_t bytes, int thread, bool write,
             const char* where) const;
  [[noreturn]] static void refuse_alignment(std::uint64_t address, std::size_t bytes);

  std::vector<Region> regions_;  // by where they begin
  std::size_t last_ = 0;
  std::map<std::uintptr_t, Touches> touches_;
  std::span<const std::byte> arguments_;
  struct alignas(64) Line {
    std::byte bytes[64];
    static std::size_t holding(std::size_t bytes) { return bytes / sizeof(Line) + 1; }
  };
  std::vector<Line> shared_;
  std::size_t shared_bytes_ = 0, local_bytes_ = 0;
  std::vector<Line> local_;  // thread after thread
  Touches shared_touches_;
  bool unordered_ = false;  // the access at work
  Moments now_;
};

}  // namespace sinter_test::ptx
