// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/time_limit.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Bytes on their way between the threads of Threads: a queue from each rank to each other one.
class Mailboxes {
 public:
  Mailboxes(int ranks, std::chrono::seconds limit)
      : limit_(limit),
        ranks_(static_cast<std::size_t>(ranks)),
        arrived_(ranks_),
        queues_(ranks_ * ranks_),
        ended_(ranks_) {}

  void put(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    queue(from, to).emplace_back(bytes.begin(), bytes.end());
    arrived_[static_cast<std::size_t>(to)].notify_one();
  }
  void take(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    auto& letters = queue(from, to);
    const auto sender = static_cast<std::size_t>(from);
    const bool in_time = arrived_[static_cast<std::size_t>(to)].wait_for(
        lock, limit_, [&] { return !letters.empty() || !problem_.empty() || ended_[sender]; });
    if (!problem_.empty()) fail(problem_);
    const std::string who = "rank " + std::to_string(to) + " waited for rank " + std::to_string(from);
    if (!in_time) fail(who + " for " + std::to_string(limit_.count()) + " s; all ranks are to make the same calls");
    if (letters.empty()) fail(who + ", which has ended; all ranks are to make the same calls");
    if (letters.front().size() != bytes.size())
      fail("rank " + std::to_string(from) + " sent " + std::to_string(letters.front().size()) + " bytes to rank " +
           std::to_string(to) + ", which expects " + std::to_string(bytes.size()) +
           "; all ranks are to make the same calls with the same options");
    std::memcpy(bytes.data(), letters.front().data(), bytes.size());
    letters.pop_front();
  }
  /// The number of a new counter.
  std::size_t add_counter() {
    const std::lock_guard lock(mutex_);
    counters_.push_back(0);
    return counters_.size() - 1;
  }
  std::int64_t take_numbers(std::size_t counter, std::int64_t count) {
    const std::lock_guard lock(mutex_);
    if (!problem_.empty()) fail(problem_);
    return std::exchange(counters_[counter], counters_[counter] + count);
  }
  /// A rank has ended, with a problem unless that is empty: it sends nothing more.
  void end(int rank, const std::string& problem) {
    const std::lock_guard lock(mutex_);
    ended_[static_cast<std::size_t>(rank)] = true;
    if (problem_.empty()) problem_ = problem;
    for (auto& one : arrived_) one.notify_one();
  }

 private:
  std::deque<std::vector<std::byte>>& queue(int from, int to) {
    return queues_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
  }

  const std::chrono::seconds limit_;
  const std::size_t ranks_;
  std::mutex mutex_;
  std::vector<std::condition_variable> arrived_;  // for each rank
  std::vector<std::deque<std::vector<std::byte>>> queues_;
  std::vector<bool> ended_;
  std::vector<std::int64_t> counters_;
  std::string problem_;
};

}  // namespace detail

/// Ranks in one process, each a thread that runs the same function:
///
///     Threads(4).run([](Communicator& world) { .. });
///
/// A rank that waits longer than `limit` for another one fails.
class Threads {
 public:
  Threads() = delete;  // sinter: say how many ranks there are: Threads(4)
  explicit Threads(int ranks, std::chrono::seconds limit = std::chrono::seconds(300))
      : ranks_(ranks), limit_(detail::time_limit(limit)) {
    if (ranks < 1 || ranks > 1024)
      fail(std::to_string(ranks) + " ranks were asked for; ask for 1 to 1024, about one for each core");
  }
  int size() const { return ranks_; }

  /// Returns when all have. An exception on a rank ends the others, and is rethrown as an Error that names the rank.
  template <class Work, class... More>
  void run(const Work& work, const More&...) const {
    constexpr bool for_ranks =
        sizeof...(More) == 0 && std::is_constructible_v<std::function<void(Communicator&)>, const Work&>;
    static_assert(for_ranks,
                  "sinter: each rank runs a function of its communicator: Threads(2).run([](Communicator& "
                  "world) { .. })");
    if constexpr (for_ranks) run_each(work);
  }

 private:
  void run_each(const std::function<void(Communicator&)>& work) const {
    detail::Mailboxes mailboxes(ranks_, limit_);
    std::mutex mutex;
    std::string first;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(ranks_));
    std::vector<int> all(static_cast<std::size_t>(ranks_));
    std::iota(all.begin(), all.end(), 0);
    const auto one = [&](int rank) {
      std::string problem;
      try {
        Member world(mailboxes, all, rank);
        work(world);
      } catch (const std::exception& error) {
        problem = error.what();
      } catch (...) {
        problem = "an exception that is not a std::exception";
      }
      if (problem.starts_with("sinter: ")) problem.erase(0, 8);
      const std::lock_guard lock(mutex);
      if (!problem.empty()) {
        problem = "rank " + std::to_string(rank) + " of " + std::to_string(ranks_) + " failed: " + problem;
        if (first.empty()) first = problem;
      }
      mailboxes.end(rank, problem);
    };
    try {
      for (int rank = 1; rank < ranks_; ++rank) threads.emplace_back(one, rank);
      one(0);
    } catch (const std::exception& error) {  // threads that have started end, too
      const std::lock_guard lock(mutex);
      first = "the system provided no thread for rank " + std::to_string(threads.size() + 1) + " of " +
              std::to_string(ranks_) + " (" + error.what() + "); ask for fewer";
      mailboxes.end(0, first);
    }
    for (std::thread& thread : threads) thread.join();
    if (!first.empty()) fail(first);
  }

  class Counter : public SharedCounter {
   public:
    Counter(detail::Mailboxes& mailboxes, std::size_t number) : mailboxes_(mailboxes), number_(number) {}
    std::int64_t take(std::int64_t count) override { return mailboxes_.take_numbers(number_, count); }

   private:
    detail::Mailboxes& mailboxes_;
    std::size_t number_;
  };

  /// One of some ranks, each with the number of its thread.
  class Member : public Communicator {
   public:
    Member(detail::Mailboxes& mailboxes, std::vector<int> threads, int rank)
        : mailboxes_(mailboxes), threads_(std::move(threads)), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(threads_.size()); }
    std::unique_ptr<SharedCounter> counter() override {
      const std::size_t own = rank_ == 0 ? mailboxes_.add_counter() : 0;
      return std::make_unique<Counter>(mailboxes_, detail::gather(*this, own)[0]);
    }

   protected:
    void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
      for (const Outgoing& piece : out) mailboxes_.put(thread(rank_), thread(piece.to), piece.bytes);
      for (const Incoming& piece : in) mailboxes_.take(thread(piece.from), thread(rank_), piece.bytes);
    }
    std::unique_ptr<Communicator> part(const std::vector<int>& ranks, int, int place) override {
      std::vector<int> threads;
      for (const int rank : ranks) threads.push_back(thread(rank));
      return std::make_unique<Member>(mailboxes_, std::move(threads), place);
    }

   private:
    int thread(int rank) const { return threads_[static_cast<std::size_t>(rank)]; }

    detail::Mailboxes& mailboxes_;
    std::vector<int> threads_;
    int rank_;
  };

  int ranks_;
  std::chrono::seconds limit_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Threads;
}  // namespace sinter
