// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/ranks/communicator.hpp"

namespace sinter_test {

/// Ends a thread as a signal ends a process.
struct Killed {};

/// Ranks that are threads, some of which are killed at a given event: before, between and after the messages of an
/// exchange, and before and after an agreement. The others find out as with ULFM: where they wait for the killed rank,
/// or for one that has found out.
class MortalThreads {
  using Communicator = sinter::internal::Communicator;

 public:
  static constexpr long never = -1;
  /// The event at which each rank is killed, counted from 0.
  explicit MortalThreads(std::vector<long> killed_at)
      : killed_at_(std::move(killed_at)), events_(killed_at_.size()), dead_(killed_at_.size()) {
    std::vector<int> all(killed_at_.size());
    std::iota(all.begin(), all.end(), 0);
    group_of(all);
  }

  /// work(world, thread) on each. Returns the error of each thread: empty if it ended well, "killed" if it was.
  std::vector<std::string> run(const std::function<void(Communicator&, int)>& work) {
    std::vector<std::string> errors(killed_at_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < errors.size(); ++i)
      threads.emplace_back([&, i] {
        try {
          Member world(*this, static_cast<int>(i));
          work(world, static_cast<int>(i));
          return;  // it is not dead: others may still read what it sent
        } catch (const Killed&) {
          errors[i] = "killed";
        } catch (const std::exception& error) {
          errors[i] = error.what();
        }
        const std::lock_guard lock(mutex_);
        dead_[i] = true;
        changed_.notify_all();
      });
    for (std::thread& thread : threads) thread.join();
    return errors;
  }
  /// How many events each rank came to.
  const std::vector<long>& events() const { return events_; }

 private:
  struct Group {
    std::vector<int> threads;
    bool revoked = false;
    std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters;
    struct Meeting {
      std::set<int> came;
      bool all = true, over = false;
      Group* next = nullptr;  // of those that are left
    };
    std::deque<Meeting> meetings;
  };
  Group& group_of(const std::vector<int>& threads) {
    groups_.push_back(std::make_unique<Group>());
    groups_.back()->threads = threads;
    return *groups_.back();
  }
  bool is_dead(int thread) const { return dead_[static_cast<std::size_t>(thread)]; }

  class Member : public Communicator {
   public:
    Member(MortalThreads& all, int thread)
        : all_(all), group_(all.groups_.front().get()), thread_(thread), rank_(thread) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(group_->threads.size()); }
    bool survives() const override { return true; }
    std::unique_ptr<sinter::internal::SharedCounter> counter() override {
      sinter::internal::fail("these ranks have no counter");
    }

   protected:
    void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
      for (const Outgoing& piece : out) {
        event();
        const std::lock_guard lock(all_.mutex_);
        group_->letters[{rank_, piece.to}].emplace_back(piece.bytes.begin(), piece.bytes.end());
        all_.changed_.notify_all();
      }
      for (const Incoming& piece : in) {
        event();
        std::unique_lock lock(all_.mutex_);
        auto& letters = group_->letters[{piece.from, rank_}];
        const int from = group_->threads[static_cast<std::size_t>(piece.from)];
        wait(lock, [&] { return group_->revoked || !letters.empty() || all_.is_dead(from); });
        if (group_->revoked || letters.empty()) {
          group_->revoked = true;
          all_.changed_.notify_all();
          throw sinter::internal::RankLost();
        }
        if (letters.front().size() != piece.bytes.size()) sinter::internal::fail("a message of another size");
        std::memcpy(piece.bytes.data(), letters.front().data(), piece.bytes.size());
        letters.pop_front();
      }
      event();
    }
    std::unique_ptr<Communicator> part(const std::vector<int>&, int, int) override {
      sinter::internal::fail("these ranks have no parts");
    }
    bool all_agree(bool own) override {
      event();
      const bool all = meet(own).all;
      event();
      return all;
    }
    void shrink() override {
      Group* const next = meet(true).next;
      group_ = next;
      met_ = 0;
      rank_ = static_cast<int>(std::find(next->threads.begin(), next->threads.end(), thread_) - next->threads.begin());
      event();
    }

   private:
    void event() {
      if (all_.events_[static_cast<std::size_t>(thread_)]++ == all_.killed_at_[static_cast<std::size_t>(thread_)])
        throw Killed{};
    }
    template <class Until>
    void wait(std::unique_lock<std::mutex>& lock, Until&& until) {
      if (!all_.changed_.wait_for(lock, std::chrono::seconds(20), until)) sinter::internal::fail("it waited for ever");
    }
    /// All that are not dead come, and get the same result.
    const typename Group::Meeting& meet(bool own) {
      std::unique_lock lock(all_.mutex_);
      if (group_->meetings.size() == met_) group_->meetings.emplace_back();
      auto& meeting = group_->meetings[met_++];
      meeting.came.insert(thread_);
      meeting.all = meeting.all && own;
      all_.changed_.notify_all();
      wait(lock, [&] {
        for (const int thread : group_->threads)
          if (!meeting.over && !all_.is_dead(thread) && !meeting.came.contains(thread)) return false;
        return true;
      });
      if (!std::exchange(meeting.over, true)) {
        std::vector<int> left;
        for (const int thread : group_->threads)
          if (!all_.is_dead(thread)) left.push_back(thread);
        meeting.next = &all_.group_of(left);
      }
      all_.changed_.notify_all();
      return meeting;
    }

    MortalThreads& all_;
    Group* group_;
    std::size_t met_ = 0;
    int thread_, rank_;
  };

  std::vector<long> killed_at_, events_;
  std::vector<bool> dead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace sinter_test
