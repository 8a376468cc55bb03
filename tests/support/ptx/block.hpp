// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "support/ptx/counts.hpp"
#include "support/ptx/instruction.hpp"
#include "support/ptx/memory.hpp"
#include "support/ptx/warp.hpp"

namespace sinter_test::ptx {

struct Grid {
  unsigned block, blocks, threads;
  std::size_t shared_bytes;
};

/// Runs a block: its warps one after another, in another random order after each barrier, which all threads must reach
/// together. Throws Fault, with the kernel, the line and the thread.
class Block {
 public:
  Block(const Kernel& kernel, const Grid& grid, Memory& memory, KernelCounts& counts, std::mt19937& random);

  void run();

 private:
  /// Up to a barrier, where it returns the index of that, or to its end, -1.
  int run(Warp& warp);
  void compute(Warp& warp, const Instruction& i, std::uint32_t lanes);
  void load(Warp& warp, const Instruction& i, std::uint32_t lanes);
  void store(Warp& warp, const Instruction& i, std::uint32_t lanes);
  void add(Warp& warp, const Instruction& i, std::uint32_t lanes);
  /// The lanes of a warp wait for each other.
  void meet(Warp& warp, const Instruction& i, std::uint32_t lanes);
  void release(int barrier);
  std::uint64_t address(Warp& warp, const Instruction& i, int lane) const;
  [[noreturn]] void refuse(const Instruction& i, const Warp& warp, int lane, const std::string& why) const;
  void count_sector(const Instruction& i, std::uint64_t address);

  const Kernel& kernel_;
  Grid grid_;
  Memory& memory_;
  KernelCounts& counts_;
  std::mt19937& random_;
  std::vector<Warp> warps_;
  Counts* now_ = nullptr;
  std::uint64_t executed_ = 0;
  std::vector<std::uint64_t> sectors_;  // of the access at work
};

}  // namespace sinter_test::ptx
