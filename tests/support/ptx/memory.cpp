// SPDX-License-Identifier: MIT
#include "support/ptx/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "support/ptx/fault.hpp"

namespace sinter_test::ptx {
namespace {

std::string hexadecimal(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}
std::string access(std::uint64_t address, std::size_t bytes) {
  return std::to_string(bytes) + " bytes at " + hexadecimal(address);
}

}  // namespace

void Memory::begin_launch(std::vector<Range> ranges, std::span<const std::byte> arguments) {
  now_.begin_launch();
  arguments_ = arguments;
  regions_.clear();
  last_ = 0;
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.data < b.data; });
  for (const Range& range : ranges) {
    const auto begin = reinterpret_cast<std::uintptr_t>(range.data);
    Touches& touches = touches_[begin];
    touches.cover(range.size);
    regions_.push_back({begin, range.size, &touches});
  }
}

void Memory::begin_block(std::size_t shared_bytes, std::size_t local_bytes, std::size_t threads) {
  now_.begin_block();
  shared_bytes_ = shared_bytes;
  local_bytes_ = local_bytes;
  Line poison;
  std::memset(&poison, 0xff, sizeof poison);  // NaN
  shared_.assign(Line::holding(shared_bytes), poison);
  local_.assign(local_bytes == 0 ? 0 : Line::holding(local_bytes) * threads, poison);
  shared_touches_.cover(shared_bytes);
}

void Memory::refuse_alignment(std::uint64_t address, std::size_t bytes) {
  throw Fault(access(address, bytes) + ", which is no multiple of them");
}

void Memory::touch(Touches& touches, const Moments& now, std::size_t at, std::size_t bytes, int thread, bool write,
                   const char* where) const {
  if (write && bytes < Touches::word) return;  // other threads may write the rest of the word
  const std::size_t last = (at + bytes - 1) / Touches::word;
  for (std::size_t word = at / Touches::word; word <= last; ++word) {
    const Touches::Race race = unordered_ ? touches.unordered(word, now, thread)
                               : write    ? touches.write(word, now, thread)
                                          : touches.read(word, now, thread);
    if (race == Touches::Race::none) continue;
    const char* other = race == Touches::Race::block ? "a thread of another block of this launch"
                                                     : "another thread since the last barrier";
    throw Fault(std::string("a race: ") + (write ? "writes" : "reads") + " byte " +
                std::to_string(word * Touches::word) + " of " + where + ", which " + other +
                (write ? " has read or written" : " has written"));
  }
}

std::byte* Memory::in_shared(std::uint64_t address, std::size_t bytes, int thread, bool write) {
  if (address < shared_begin || address - shared_begin > shared_bytes_ ||
      bytes > shared_bytes_ - (address - shared_begin))
    throw Fault(access(address, bytes) + " of shared memory, whose " + std::to_string(shared_bytes_) +
                " bytes begin at " + hexadecimal(shared_begin));
  const std::size_t at = address - shared_begin;
  Moments own = now_;
  own.launch = own.block;
  touch(shared_touches_, own, at, bytes, thread, write, "shared memory");
  return reinterpret_cast<std::byte*>(shared_.data()) + at;
}

std::byte* Memory::in_local(std::uint64_t address, std::size_t bytes, int thread) {
  if (address < local_begin || address - local_begin > local_bytes_ || bytes > local_bytes_ - (address - local_begin))
    throw Fault(access(address, bytes) + " of a thread's own memory, whose " + std::to_string(local_bytes_) +
                " bytes begin at " + hexadecimal(local_begin));
  Line* const own = local_.data() + Line::holding(local_bytes_) * static_cast<std::size_t>(thread);
  return reinterpret_cast<std::byte*>(own) + (address - local_begin);
}

const Memory::Region& Memory::region_of(std::uint64_t address, std::size_t bytes) {
  const auto holds = [&](const Region& region) {
    return address >= region.begin && address - region.begin < region.size &&
           bytes <= region.size - (address - region.begin);
  };
  if (last_ < regions_.size() && holds(regions_[last_])) return regions_[last_];
  if (address >= shared_window)
    throw Fault(access(address, bytes) + ", which is no address of global memory, but of " +
                (address >= parameter_window ? "the arguments" : "shared memory"));
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                      [](std::uint64_t a, const Region& region) { return a < region.begin; });
  if (after == regions_.begin()) throw Fault(access(address, bytes) + " of global memory, below all allocations");
  const Region& region = *(after - 1);
  if (!holds(region))
    throw Fault(access(address, bytes) + " of global memory, which is byte " + std::to_string(address - region.begin) +
                " of the " + std::to_string(region.size) + " bytes of the nearest allocation before it, at " +
                hexadecimal(region.begin));
  last_ = static_cast<std::size_t>(&region - regions_.data());
  return region;
}

std::byte* Memory::in_global(std::uint64_t address, std::size_t bytes, int thread, bool write) {
  const Region& region = region_of(address, bytes);
  touch(*region.touches, now_, address - region.begin, bytes, thread, write, "an allocation");
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

std::byte* Memory::in_arguments(std::uint64_t address, std::size_t bytes, bool write) const {
  if (write) throw Fault("writes to the arguments of the kernel");
  const std::uint64_t at = address - parameter_window;
  if (address < parameter_window || at > arguments_.size() || bytes > arguments_.size() - at)
    throw Fault(access(address, bytes) + ", outside of the " + std::to_string(arguments_.size()) +
                " bytes of the arguments");
  return const_cast<std::byte*>(arguments_.data()) + at;
}

}  // namespace sinter_test::ptx
