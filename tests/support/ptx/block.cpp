// SPDX-License-Identifier: MIT
#include "support/ptx/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "support/ptx/fault.hpp"
#include "support/ptx/lanes.hpp"

namespace sinter_test::ptx {
namespace {

constexpr std::uint64_t most_instructions = 100'000'000;  // of a block's warps: more is a loop without an end

/// The low bytes of a register, or all of a wider one.
void set(Warp& warp, std::uint32_t row, int row_bytes, int lane, std::uint64_t value) {
  std::memcpy(warp.row<std::byte>(row) + lane * row_bytes, &value, static_cast<std::size_t>(row_bytes));
}
std::uint64_t extended(const std::byte* from, int bytes, bool with_sign) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(bytes));
  if (!with_sign || bytes == 8) return value;
  const int unused = 64 - 8 * bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

}  // namespace

Block::Block(const Kernel& kernel, const Grid& grid, Memory& memory, KernelCounts& counts, std::mt19937& random)
    : kernel_(kernel), grid_(grid), memory_(memory), counts_(counts), random_(random) {
  for (unsigned first = 0; first < grid.threads; first += lanes_of_warp) {
    Warp& warp =
        warps_.emplace_back(kernel, static_cast<int>(first), static_cast<int>(std::min(grid.threads - first, 32u)));
    warp.predicate(0) = 0;
    warp.predicate(1) = all_lanes;
    for (const Constant& constant : kernel.constants)
      for (int lane = 0; lane < lanes_of_warp; ++lane) set(warp, constant.row, constant.bytes, lane, constant.value);
    for (const SpecialRegister& special : kernel.special)
      for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
        const unsigned values[] = {
            first + lane, grid.block, grid.threads, grid.blocks, lane, all_lanes >> (31 - lane), 0, 1};
        set(warp, special.row, 4, static_cast<int>(lane), values[special.which]);
      }
  }
}

void Block::run() {
  memory_.begin_block(kernel_.static_shared + grid_.shared_bytes, kernel_.local_bytes, grid_.threads);
  now_ = &counts_.phases[0];
  counts_.lines.resize(static_cast<std::size_t>(kernel_.code.back().line) + 1);
  std::vector<int> stopped(warps_.size());
  std::vector<std::size_t> order(warps_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (;;) {
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t k : order) stopped[k] = run(warps_[k]);
    const int first = stopped.front();
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      if (stopped[k] == first) continue;
      const int barrier = std::max(stopped[k], first);
      const Warp& other = warps_[stopped[k] == barrier ? 0 : k];
      refuse(kernel_.code[static_cast<std::size_t>(barrier)], other, 0,
             "a barrier that not all threads reach: this one " +
                 std::string(std::min(stopped[k], first) < 0 ? "has ended" : "waits at another one"));
    }
    if (first < 0) return;
    release(first);
  }
}

void Block::release(int barrier) {
  const Instruction& i = kernel_.code[static_cast<std::size_t>(barrier)];
  if (i.action == Action::any_barrier) {
    std::uint32_t any = 0;
    for (Warp& warp : warps_) any |= warp.predicate(i.a) & warp.lanes();
    for (Warp& warp : warps_) warp.predicate(i.to) = any != 0 ? all_lanes : 0;
  }
  for (Warp& warp : warps_) warp.put({barrier + 1, warp.lanes()});
  memory_.begin_phase();
  now_ = &counts_.phases[i.line];
}

int Block::run(Warp& warp) {
  const Instruction* const code = kernel_.code.data();
  while (!warp.ended()) {
    auto [at, lanes] = warp.take();
    int next = warp.next_at();
    while (at < next) {
      const Instruction& i = code[at];
      std::uint32_t active = lanes;
      if (i.guard >= 0) {
        const std::uint32_t guard = warp.predicate(static_cast<std::uint32_t>(i.guard));
        active &= i.guard_inverted ? ~guard : guard;
      }
      ++now_->warps[static_cast<std::size_t>(i.kind)];
      ++counts_.lines[static_cast<std::size_t>(i.line)];
      now_->threads += static_cast<std::uint64_t>(std::popcount(active));
      if (++executed_ > most_instructions) refuse(i, warp, 0, "a loop without an end");
      switch (i.action) {
        case Action::compute:
          if (active != 0) compute(warp, i, active);
          ++at;
          break;
        case Action::load:
          if (active != 0) load(warp, i, active);
          ++at;
          break;
        case Action::store:
          if (active != 0) store(warp, i, active);
          ++at;
          break;
        case Action::add:
          if (active != 0) add(warp, i, active);
          ++at;
          break;
        case Action::fence:
          ++at;
          break;
        case Action::warp_barrier:
          if (active != 0) meet(warp, i, active);
          ++at;
          break;
        case Action::branch:
          if (active == lanes) {
            at = i.target;
          } else if (active == 0) {
            ++at;
          } else {
            warp.put({at + 1, lanes & ~active});
            warp.put({i.target, active});
            lanes = 0;
          }
          break;
        case Action::end:
          lanes &= ~active;
          ++at;
          break;
        case Action::trap:
          if (active != 0) refuse(i, warp, std::countr_zero(active), "a trap: code for another architecture");
          ++at;
          break;
        case Action::barrier:
        case Action::any_barrier:
          if (active == 0) {
            ++at;
            break;
          }
          if (active != warp.lanes())
            refuse(i, warp, std::countr_zero(warp.lanes() & ~active),
                   "a barrier that not all threads reach: this one has ended or is elsewhere");
          return at;
      }
      if (lanes == 0) break;
    }
    if (lanes != 0) warp.put({at, lanes});
  }
  return -1;
}

void Block::compute(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  try {
    i.compute(warp, i, lanes);
  } catch (const Fault& fault) {
    refuse(i, warp, std::countr_zero(lanes), fault.what());
  }
}

std::uint64_t Block::address(Warp& warp, const Instruction& i, int lane) const {
  if (!i.has_base) return static_cast<std::uint64_t>(i.offset);
  if (i.wide_base) return warp.row<std::uint64_t>(i.a)[lane] + static_cast<std::uint64_t>(i.offset);
  return warp.row<std::uint32_t>(i.a)[lane] + static_cast<std::uint32_t>(i.offset);
}

void Block::count_sector(const Instruction& i, std::uint64_t address) {
  if (i.kind != Kind::global_load && i.kind != Kind::global_store && i.kind != Kind::generic) return;
  const std::uint64_t sector = address / 32;
  if (!sectors_.empty() && sectors_.back() == sector) return;
  if (std::find(sectors_.begin(), sectors_.end(), sector) == sectors_.end()) sectors_.push_back(sector);
}

void Block::load(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const auto bytes = static_cast<std::size_t>(i.bytes) * i.vector;
  sectors_.clear();
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const std::uint64_t from = address(warp, i, lane);
    const std::byte* memory = nullptr;
    try {
      memory = memory_.find(i, from, bytes, warp.thread(lane), false);
    } catch (const Fault& fault) {
      refuse(i, warp, lane, fault.what());
    }
    for (unsigned k = 0; k < i.vector; ++k)
      set(warp, i.rows[k], i.row_bytes[k], lane, extended(memory + k * i.bytes, i.bytes, i.signed_numbers));
    count_sector(i, from);
  }
  now_->sectors += sectors_.size();
}

void Block::store(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  const auto bytes = static_cast<std::size_t>(i.bytes) * i.vector;
  sectors_.clear();
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const std::uint64_t to = address(warp, i, lane);
    std::byte* memory = nullptr;
    try {
      memory = memory_.find(i, to, bytes, warp.thread(lane), true);
    } catch (const Fault& fault) {
      refuse(i, warp, lane, fault.what());
    }
    for (unsigned k = 0; k < i.vector; ++k)
      std::memcpy(memory + k * i.bytes, warp.row<std::byte>(i.rows[k]) + lane * i.row_bytes[k], i.bytes);
    count_sector(i, to);
  }
  now_->sectors += sectors_.size();
}

void Block::add(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const std::uint64_t to = address(warp, i, lane);
    try {
      std::byte* const memory = memory_.find(i, to, i.bytes, warp.thread(lane), true);
      std::uint32_t number = 0;
      std::memcpy(&number, memory, sizeof number);
      const std::uint32_t sum = number + warp.row<std::uint32_t>(i.rows[0])[lane];
      std::memcpy(memory, &sum, sizeof sum);
      warp.row<std::uint32_t>(i.to)[lane] = number;
    } catch (const Fault& fault) {
      refuse(i, warp, lane, fault.what());
    }
  }
}

void Block::meet(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  try {
    require_lanes(warp, warp.row<std::uint32_t>(i.a)[std::countr_zero(lanes)], lanes);
  } catch (const Fault& fault) {
    refuse(i, warp, std::countr_zero(lanes), fault.what());
  }
  memory_.warp_meets(warp.thread(0) / lanes_of_warp);
}

void Block::refuse(const Instruction& i, const Warp& warp, int lane, const std::string& why) const {
  const auto index = static_cast<std::size_t>(&i - kernel_.code.data());
  throw Fault("kernel " + kernel_.name + ", PTX line " + std::to_string(i.line) + ": `" + kernel_.text[index] +
              "`, thread " + std::to_string(warp.thread(lane)) + " of block " + std::to_string(grid_.block) + ": " +
              why);
}

}  // namespace sinter_test::ptx
