// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers from 0, each of which is taken by one rank.
class SharedCounter {
 public:
  SharedCounter() = default;
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;
  virtual ~SharedCounter() = default;
  /// The first of the next `count` numbers, which are this rank's.
  virtual std::int64_t take(std::int64_t count) = 0;
};

/// Thrown by an exchange where another rank was lost. Communicator::retry goes on without it; elsewhere it ends the
/// program.
struct RankLost : Error {
  RankLost()
      : Error(
            "sinter: another rank was lost: its process ended, or cannot be reached. What the ranks were doing cannot "
            "be continued without it; start them again, from a checkpoint if there is one") {}
};

/// Ranks that run the same program, each with a part of the work: Solo, Threads or Mpi. It moves bytes and adds
/// nothing, so that no bit of a result depends on it. All ranks make the same calls in the same order, each on one
/// thread.
class Communicator {
 public:
  /// Bytes on their way to or from a rank.
  struct Outgoing {
    int to;
    std::span<const std::byte> bytes;
  };
  struct Incoming {
    int from;
    std::span<std::byte> bytes;
  };

  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends and receives all of these, and returns when the received bytes are there and those sent may be written to
  /// again. What one rank sends to another are the bytes of its pieces in their order, and as many are to be received.
  /// Fails, on all ranks, if another rank failed, or expects something else.
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) {
    if (size() == 1) return;
    const auto begin = std::chrono::steady_clock::now();
    const std::span<const Outgoing> sent = pack(out);
    for (const Outgoing& piece : sent) sent_bytes_ += piece.bytes.size();
    sent_messages_ += sent.size();
    move(sent, receive(in));
    exchanging_ += std::chrono::steady_clock::now() - begin;
    unpack(in);
  }
  /// How long it has sent, received and waited for others, in seconds.
  double seconds_exchanging() const { return std::chrono::duration<double>(exchanging_).count(); }
  /// From this rank to others.
  std::uint64_t sent_messages() const { return sent_messages_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }

  /// Whether the other ranks can go on where one is lost, without it: they then have other numbers, in the same order,
  /// and size() is smaller.
  virtual bool survives() const { return false; }
  /// How many times it has been shrunk to those that are left, which happens only in retry().
  int shrinks() const { return shrinks_; }
  /// work(), which exchanges something and may be repeated: on all ranks that are left, until all have done it. All of
  /// them call it.
  template <class Work>
  auto retry(Work&& work) {
    if (!survives() || size() == 1) return work();
    for (;;) {
      std::optional<decltype(work())> result;
      try {
        result = work();
      } catch (const RankLost&) {
      }
      if (all_agree(result.has_value())) return *std::move(result);
      shrink();
      ++shrinks_;
    }
  }

  /// A communicator of the ranks that give the same color (0 or more), in the order of their keys and, where those are
  /// equal, of their ranks here: as MPI_Comm_split. All ranks call it. It must not outlive this one.
  ///
  ///     const auto pair = world.split(world.rank() / 2);
  std::unique_ptr<Communicator> split(int color, int key = 0);
  /// A counter shared by all ranks. All ranks call it.
  virtual std::unique_ptr<SharedCounter> counter() = 0;

 protected:
  /// Whether `own` is true on all ranks that are left: the same answer on all of them, even if one is lost meanwhile.
  /// Only of ranks that survive.
  virtual bool all_agree(bool own) { return own; }
  /// Leaves out the ranks that are lost. Only of ranks that survive.
  virtual void shrink() {}
  /// One piece for each rank at most, to and from others.
  virtual void move(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
  /// The communicator that split() makes of these ranks; this one is number `place` among them.
  virtual std::unique_ptr<Communicator> part(const std::vector<int>& ranks, int color, int place) = 0;

 private:
  struct Packed {
    std::size_t pieces = 0, bytes = 0;
    std::vector<std::byte> together;
  };
  template <class Pieces, class RankOf>
  static void count(std::vector<Packed>& packed, const Pieces& pieces, RankOf&& rank_of) {
    for (Packed& one : packed) one.pieces = one.bytes = 0;
    for (const auto& piece : pieces) {
      Packed& one = packed[static_cast<std::size_t>(rank_of(piece))];
      ++one.pieces;
      one.bytes += piece.bytes.size();
    }
    for (Packed& one : packed) one.together.resize(one.pieces > 1 ? one.bytes : 0);
  }
  /// Several pieces for a rank are copied together.
  std::span<const Outgoing> pack(std::span<const Outgoing> out) {
    packed_.resize(static_cast<std::size_t>(size()));
    count(packed_, out, [](const Outgoing& piece) { return piece.to; });
    sent_.clear();
    std::vector<std::size_t> filled(packed_.size());
    for (const Outgoing& piece : out) {
      const auto to = static_cast<std::size_t>(piece.to);
      Packed& one = packed_[to];
      if (one.bytes == 0 || piece.bytes.empty()) continue;
      if (one.pieces > 1) {
        std::memcpy(one.together.data() + filled[to], piece.bytes.data(), piece.bytes.size());
        if (filled[to] == 0) sent_.push_back({piece.to, one.together});
        filled[to] += piece.bytes.size();
      } else {
        sent_.push_back(piece);
      }
    }
    return sent_;
  }
  std::span<const Incoming> receive(std::span<const Incoming> in) {
    unpacked_.resize(static_cast<std::size_t>(size()));
    count(unpacked_, in, [](const Incoming& piece) { return piece.from; });
    received_.clear();
    for (int from = 0; from < size(); ++from)
      if (Packed& one = unpacked_[static_cast<std::size_t>(from)]; one.pieces > 1 && one.bytes > 0)
        received_.push_back({from, one.together});
    for (const Incoming& piece : in)
      if (unpacked_[static_cast<std::size_t>(piece.from)].pieces == 1 && !piece.bytes.empty())
        received_.push_back(piece);
    return received_;
  }
  void unpack(std::span<const Incoming> in) {
    std::vector<std::size_t> taken(unpacked_.size());
    for (const Incoming& piece : in) {
      const auto from = static_cast<std::size_t>(piece.from);
      if (unpacked_[from].pieces < 2 || piece.bytes.empty()) continue;
      std::memcpy(piece.bytes.data(), unpacked_[from].together.data() + taken[from], piece.bytes.size());
      taken[from] += piece.bytes.size();
    }
  }

  std::chrono::steady_clock::duration exchanging_{};
  std::uint64_t sent_messages_ = 0, sent_bytes_ = 0;
  int shrinks_ = 0;
  std::vector<Packed> packed_, unpacked_;
  std::vector<Outgoing> sent_;
  std::vector<Incoming> received_;
};

namespace detail {

/// Pieces that are collected to be exchanged together.
class Exchange {
 public:
  explicit Exchange(Communicator& world) : world_(world) {}

  template <class T>
  void send(int to, const T* numbers, std::size_t count) {
    out_.push_back({to, std::as_bytes(std::span(numbers, count))});
  }
  template <class T>
  void receive(int from, T* numbers, std::size_t count) {
    in_.push_back({from, std::as_writable_bytes(std::span(numbers, count))});
  }
  /// Sends numbers of `owner` to all others, to the same place.
  template <class T>
  void share(int owner, T* numbers, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (owner != world_.rank()) return receive(owner, numbers, count);
    for (int to = 0; to < world_.size(); ++to)
      if (to != owner) send(to, numbers, count);
  }
  void run() {
    world_.exchange(out_, in_);
    out_.clear();
    in_.clear();
  }

 private:
  Communicator& world_;
  std::vector<Communicator::Outgoing> out_;
  std::vector<Communicator::Incoming> in_;
};

/// One value of each rank, in order of the ranks, on all ranks.
template <class T>
std::vector<T> gather(Communicator& world, const T& own) {
  std::vector<T> all(static_cast<std::size_t>(world.size()), own);
  Exchange exchange(world);
  for (int rank = 0; rank < world.size(); ++rank) exchange.share(rank, &all[static_cast<std::size_t>(rank)], 1);
  exchange.run();
  return all;
}

}  // namespace detail

inline std::unique_ptr<Communicator> Communicator::split(int color, int key) {
  struct Wish {
    int color, key;
  };
  if (color < 0)
    fail("split was given the color " + std::to_string(color) + "; give it 0 or more, the same on ranks that belong " +
         "together");
  const std::vector<Wish> wishes = detail::gather(*this, Wish{color, key});
  std::vector<int> ranks;
  for (int other = 0; other < size(); ++other)
    if (wishes[static_cast<std::size_t>(other)].color == color) ranks.push_back(other);
  std::ranges::sort(ranks, {},
                    [&](int other) { return std::pair(wishes[static_cast<std::size_t>(other)].key, other); });
  return part(ranks, color, static_cast<int>(std::ranges::find(ranks, rank()) - ranks.begin()));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Communicator;
using internal::RankLost;
using internal::SharedCounter;
}  // namespace sinter
