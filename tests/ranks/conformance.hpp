// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/ranks/communicator.hpp"

/// What every Communicator must do: run on each of its ranks.
namespace sinter_test {

using sinter::internal::Communicator;
using sinter::internal::detail::Exchange;

inline void expect(bool holds, const char* what) {
  if (!holds) sinter::internal::fail(std::string("a communicator does not satisfy: ") + what);
}

/// What rank `from` sends to rank `to`, of so many numbers.
inline std::vector<int> letter(int from, int to, std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1000 * from + 10 * to);
  return numbers;
}

/// Each number of a counter is taken once, whatever the number of them at once.
inline void check_counter(Communicator& world) {
  constexpr std::int64_t most = 100;
  const auto counter = world.counter();
  std::vector<unsigned char> taken(most, 0), all(most * static_cast<std::size_t>(world.size()));
  const std::int64_t count = 1 + world.rank() % 3;
  std::int64_t last = -1;
  for (;;) {
    const std::int64_t first = counter->take(count);
    expect(first > last, "a rank takes numbers in their order");
    if (first >= most) break;
    last = std::min(first + count, most) - 1;
    for (std::int64_t i = first; i <= last; ++i) ++taken[static_cast<std::size_t>(i)];
  }
  Exchange exchange(world);
  std::copy(taken.begin(), taken.end(), all.begin() + world.rank() * most);
  for (int rank = 0; rank < world.size(); ++rank)
    exchange.share(rank, &all[static_cast<std::size_t>(rank * most)], most);
  exchange.run();
  for (std::size_t i = 0; i < most; ++i) {
    int times = 0;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(world.size()); ++rank) times += all[rank * most + i];
    expect(times == 1, "each number of a counter is taken once");
  }
}

inline void check_messages(Communicator& world, std::size_t most);

/// Parts by the remainder of the rank, in turned order, exchange at the same time, each its own; and so do parts of
/// those, and the whole after them.
inline void check_split(Communicator& world) {
  const int rank = world.rank(), size = world.size();
  for (const int colors : {1, 2, 3}) {
    const auto part = world.split(rank % colors, -rank);
    expect(part->size() == (size - rank % colors + colors - 1) / colors, "a part has the ranks of its color");
    const auto there = sinter::internal::detail::gather(*part, rank);
    for (int i = 0; i < part->size(); ++i)
      expect(there[static_cast<std::size_t>(i)] % colors == rank % colors &&
                 (i == 0 || there[static_cast<std::size_t>(i)] < there[static_cast<std::size_t>(i - 1)]),
             "a part is in the order of the keys");
    expect(there[static_cast<std::size_t>(part->rank())] == rank, "each has its place in its part");
    check_messages(*part, 7);
    check_counter(*part);
    check_messages(world, 7);
    check_messages(*part->split(part->rank() / 2), 7);
  }
  const auto same_key = world.split(0);
  expect(same_key->rank() == rank && same_key->size() == size, "equal keys leave the order of the ranks");
}

inline void check_conformance(Communicator& world) {
  check_messages(world, 30000);
  check_counter(world);
  check_split(world);
}

inline void check_messages(Communicator& world, std::size_t most) {
  const int rank = world.rank(), size = world.size();
  expect(rank >= 0 && rank < size, "a rank is below size()");

  const auto ranks = sinter::internal::detail::gather(world, rank);
  for (int i = 0; i < size; ++i) expect(ranks[static_cast<std::size_t>(i)] == i, "gather is in the order of the ranks");

  // Everyone to everyone, in three pieces of which one is empty; many times, and many bytes.
  for (const std::size_t count : {std::size_t{1}, most}) {
    std::vector<std::vector<int>> out, in(static_cast<std::size_t>(size), std::vector<int>(count + 3));
    for (int other = 0; other < size; ++other) out.push_back(letter(rank, other, count + 3));
    Exchange exchange(world);
    for (int other = 0; other < size; ++other) {
      if (other == rank) continue;
      const auto i = static_cast<std::size_t>(other);
      exchange.send(other, out[i].data(), 3);
      exchange.send(other, out[i].data() + 3, 0);
      exchange.send(other, out[i].data() + 3, count);
    }
    for (int other = size - 1; other >= 0; --other) {  // cut elsewhere, and in another order
      if (other == rank) continue;
      const auto i = static_cast<std::size_t>(other);
      exchange.receive(other, in[i].data(), count);
      exchange.receive(other, in[i].data() + count, 3);
    }
    exchange.run();
    for (int other = 0; other < size; ++other)
      expect(other == rank || in[static_cast<std::size_t>(other)] == letter(other, rank, count + 3),
             "bytes arrive as they were sent");
  }

  // Some ranks have nothing to say.
  int from_last = rank == size - 1 ? 42 : 0;
  Exchange exchange(world);
  exchange.share(size - 1, &from_last, 1);
  exchange.run();
  expect(from_last == 42, "one rank sends to all");
  exchange.run();  // nothing at all

  // Messages of a pair keep their order.
  if (size > 1) {
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 100; ++i) {
      int sent = 100 * rank + i, got = -1;
      Exchange turn(world);
      turn.send(next, &sent, 1);
      turn.receive(before, &got, 1);
      turn.run();
      expect(got == 100 * before + i, "messages of a pair arrive in their order");
    }
  }
}

}  // namespace sinter_test
