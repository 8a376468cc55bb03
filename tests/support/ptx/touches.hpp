// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter_test::ptx {

/// Moments in the order in which blocks run, one after another, their phases between barriers, and the times when the
/// threads of a warp wait for each other: each of these has a moment for each thread. They never come back, so what was
/// touched before a launch needs no clearing.
struct Moments {
  /// Threads of a block, and after them who else a moment can be of: several threads of a warp, unordered accesses,
  /// several threads.
  static constexpr std::uint64_t of_warp = 1024, unordered = 2046, several = 2047, threads = 2048;

  std::uint64_t launch = threads, block = threads, phase = threads, now = threads;
  std::array<std::uint64_t, 32> met{};  // when the threads of each warp have waited for each other

  void begin_launch() { launch = block = phase = now += threads; }
  void begin_block() { block = phase = now += threads; }
  void begin_phase() { phase = now += threads; }
  void warp_meets(int warp) { met[static_cast<std::size_t>(warp)] = now += threads; }

  std::uint64_t of(int thread) const { return now + static_cast<std::uint64_t>(thread); }
};

/// Who touched the words of a region last. Two threads must not touch one word, one of them writing, without a barrier
/// between, of the block or of their warp; threads of different blocks not within a launch. Unordered accesses may meet.
class Touches {
 public:
  static constexpr std::size_t word = 4;
  enum class Race { none, thread, block };

  void cover(std::size_t bytes) {
    const std::size_t words = (bytes + word - 1) / word;
    if (words_.size() < words) words_.resize(words);
  }

  Race read(std::size_t index, const Moments& now, int thread) {
    Touch& touch = words_[index];
    const std::uint64_t by_blocks = now.launch + Moments::several;
    if (const Race race = against(touch.written, now, thread); race != Race::none) return race;
    if (touch.read == by_blocks) return Race::none;
    const std::uint64_t other = touch.read % Moments::threads;
    if (touch.read >= now.launch && touch.read < now.block)
      touch.read = by_blocks;
    else if (touch.read < now.phase || other == static_cast<std::uint64_t>(thread))
      touch.read = now.of(thread);
    else if (warp_of(other) == thread / 32)
      touch.read = now.now + Moments::of_warp + static_cast<std::uint64_t>(thread / 32);
    else
      touch.read = now.now + Moments::several;
    return Race::none;
  }
  Race write(std::size_t index, const Moments& now, int thread) {
    Touch& touch = words_[index];
    Race race = against(touch.written, now, thread);
    if (race == Race::none) race = against(touch.read, now, thread);
    touch.written = now.of(thread);
    return race;
  }
  /// Reads or writes, or both in one.
  Race unordered(std::size_t index, const Moments& now, int thread) {
    Touch& touch = words_[index];
    const bool met = touch.written >= now.launch && touch.written % Moments::threads == Moments::unordered;
    Race race = met ? Race::none : against(touch.written, now, thread);
    if (race == Race::none) race = against(touch.read, now, thread);
    touch.written = now.now + Moments::unordered;
    return race;
  }

 private:
  struct Touch {
    std::uint64_t written = 0, read = 0;
  };
  /// The warp of who a moment is of; -1: of several.
  static int warp_of(std::uint64_t who) {
    return static_cast<int>(who < Moments::of_warp        ? who / 32
                            : who < Moments::of_warp + 32 ? who - Moments::of_warp
                                                          : std::uint64_t(-1));
  }
  static Race against(std::uint64_t other, const Moments& now, int thread) {
    if (other < now.launch) return Race::none;
    if (other < now.block) return Race::block;
    const std::uint64_t who = other % Moments::threads;
    if (other < now.phase || who == static_cast<std::uint64_t>(thread)) return Race::none;
    const int warp = thread / 32;
    return warp_of(who) == warp && other < now.met[static_cast<std::size_t>(warp)] ? Race::none : Race::thread;
  }
  std::vector<Touch> words_;
};

}  // namespace sinter_test::ptx
