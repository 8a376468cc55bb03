// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter_test::ptx {

/// Moments in the order in which blocks run, one after another, and their phases between barriers: each phase has a
/// moment for each of its threads. They never come back, so what was touched before a launch needs no clearing.
struct Moments {
  static constexpr std::uint64_t threads = 2048, several = threads - 1;

  std::uint64_t launch = threads, block = threads, phase = threads;

  void begin_launch() { launch = block = phase = phase + threads; }
  void begin_block() { block = phase = phase + threads; }
  void begin_phase() { phase += threads; }
};

/// Who touched the words of a region last. Two threads must not touch one word, one of them writing, without a barrier
/// between; threads of different blocks not within a launch.
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
    const std::uint64_t mine = now.phase + static_cast<std::uint64_t>(thread),
                        by_blocks = now.launch + Moments::several;
    if (const Race race = against(touch.written, now, mine); race != Race::none) return race;
    if (touch.read == by_blocks) return Race::none;
    if (touch.read >= now.launch && touch.read < now.block)
      touch.read = by_blocks;
    else if (touch.read >= now.phase && touch.read != mine)
      touch.read = now.phase + Moments::several;
    else
      touch.read = mine;
    return Race::none;
  }
  Race write(std::size_t index, const Moments& now, int thread) {
    Touch& touch = words_[index];
    const std::uint64_t mine = now.phase + static_cast<std::uint64_t>(thread);
    Race race = against(touch.written, now, mine);
    if (race == Race::none) race = against(touch.read, now, mine);
    touch.written = mine;
    return race;
  }

 private:
  struct Touch {
    std::uint64_t written = 0, read = 0;
  };
  static Race against(std::uint64_t other, const Moments& now, std::uint64_t mine) {
    if (other < now.launch) return Race::none;
    if (other < now.block) return Race::block;
    return other >= now.phase && other != mine ? Race::thread : Race::none;
  }
  std::vector<Touch> words_;
};

}  // namespace sinter_test::ptx
