// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// Instructions that warps executed, by kind. `sectors` are of 32 bytes, touched by loads and stores of global memory.
struct Counts {
  std::array<std::uint64_t, static_cast<std::size_t>(Kind::count) + 1> warps{};  // the last one is not counted
  std::uint64_t threads = 0, sectors = 0;

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (std::size_t kind = 0; kind < static_cast<std::size_t>(Kind::count); ++kind) sum += warps[kind];
    return sum;
  }
  Counts& operator+=(const Counts& other) {
    for (std::size_t kind = 0; kind < warps.size(); ++kind) warps[kind] += other.warps[kind];
    threads += other.threads;
    sectors += other.sectors;
    return *this;
  }
};

/// Of one kernel: for each phase, which begins after the barrier in that line of the PTX. 0: at the kernel's beginning.
struct KernelCounts {
  std::uint64_t launches = 0, blocks = 0;
  std::map<int, Counts> phases;
  std::vector<std::uint64_t> lines;  // how often warps executed the instruction in each line of the PTX
};

/// A table of the kernels of a workload, by their names without types; with phases, each of theirs.
std::string table(const std::map<std::string, KernelCounts>& kernels, bool with_phases);

}  // namespace sinter_test::ptx
