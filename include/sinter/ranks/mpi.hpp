// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/counters_mpi.hpp"
#include "sinter/ranks/errors_mpi.hpp"
#include "sinter/ranks/time_limit.hpp"
#include "sinter/ranks/ulfm_mpi.hpp"

SINTER_NAMESPACE_BEGIN

/// The processes that mpirun or srun started, on one machine or many:
///
///     int main(int count, char** values) {
///       Mpi world(count, values);
///
/// It initialises and finalises MPI. An exception that leaves main on one rank ends all of them, with its message and
/// number. A rank that waits longer than `limit` for another one fails. In a program that initialises MPI itself, write
/// `Mpi world(MPI_COMM_WORLD)`. If a rank is killed, all end, unless Open MPI 5 is told that the others go on:
/// mpirun --with-ft ulfm.
class Mpi : public Communicator {
 public:
  static constexpr std::chrono::seconds default_limit{300};

  Mpi(int& count, char**& values, std::chrono::seconds limit = default_limit) : limit_(detail::time_limit(limit)) {
    int begun = 0, ended = 0, given = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (ended != 0)
      fail(
          "MPI has been finalised in this process and cannot be initialised again; make one Mpi, at the start of main");
    if (begun == 0) {
      detail::check_mpi(MPI_Init_thread(&count, &values, MPI_THREAD_FUNNELED, &given), "begin");
      ends_ = true;
    }
    join(MPI_COMM_WORLD);
    watch();
    if (size_ == 1) detail::check_alone_in_mpi();
  }
  explicit Mpi(MPI_Comm ranks, std::chrono::seconds limit = default_limit) : limit_(detail::time_limit(limit)) {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0) fail("MPI is not initialised: call MPI_Init first, or give Mpi the arguments of main");
    join(ranks);
    watch();
  }
  ~Mpi() override {
    if (std::uncaught_exceptions() > exceptions_) {  // the handler prints it, and then all ranks end
      if (watches_) std::atexit(end_job);            // a part may end by an exception that is caught within the world
      return;
    }
    job.remove(ranks_);
    if (watches_) std::set_terminate(terminate_before_), ended_ranks = MPI_COMM_NULL;
    if (survives_) {
      end_with_others();
      return;
    }
    own_numbers_.reset();
    MPI_Comm_free(&ranks_);
    if (ends_) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool survives() const override { return survives_; }
  /// It returns at once between processes of one machine, and if the network can write to remote memory; else when rank
  /// 0 next exchanges something.
  std::unique_ptr<SharedCounter> counter() override {
    Numbers& all = numbers();
    std::int64_t place = 0;
    if (rank_ == 0) {
      place = 1 + all.change(MPI_SUM, 0, 1) % (Numbers::count - 1);
      all.change(MPI_REPLACE, place, 0);
    }
    return std::make_unique<detail::CounterOfMpi>(all, detail::gather(*this, place)[0]);
  }

 protected:
  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    if (!survives_ && job.fails()) throw RankLost();  // of a part: another part has lost one
    if (failed_) fail("an exchange of these ranks has failed before; end the program, or make another Mpi");
    requests_.clear();
    expected_.clear();
    receivers_.clear();
    try {
      exchange(out, in);
    } catch (const RankLost&) {
      throw;
    } catch (...) {
      cancel_receives();
      throw;
    }
  }
  std::unique_ptr<Communicator> part(const std::vector<int>&, int color, int place) override {
    Numbers& all = numbers();
    MPI_Comm ranks = MPI_COMM_NULL;
    detail::check_mpi(MPI_Comm_split(ranks_, color, place, &ranks), "split its communicator");
    return std::unique_ptr<Mpi>(new Mpi(Part{ranks, &all}, limit_));
  }
  bool all_agree(bool own) override {
    int all = detail::ulfm::Job::going_on | (own ? detail::ulfm::Job::done : 0);
    if (!detail::ulfm::agree(ranks_, all, limit_)) detail::fail_late_in_mpi("other ranks", limit_);
    if ((all & detail::ulfm::Job::going_on) == 0) {
      job.end();
      fail("another rank failed, and says why");
    }
    return (all & detail::ulfm::Job::done) != 0;
  }
  void shrink() override {
    const MPI_Comm before = ranks_;
    detail::check_mpi(detail::ulfm::shrink(before, ranks_), "go on without a rank");
    if (const std::string text = detail::ulfm::lost_text(before, ranks_); !text.empty()) {
      std::fprintf(stderr, "sinter: %s\n", text.c_str());
      std::fflush(stderr);
    }
    job.replace(before, ranks_);
    MPI_Comm lost = before;
    MPI_Comm_free(&lost);
    use();
    if (watches_) ended_rank = rank_, ended_size = size_, ended_ranks = ranks_;
    static_cast<void>(own_numbers_.release());  // to free them, all ranks would be needed
    numbers_ = nullptr;
  }

 private:
  using Numbers = detail::NumbersOfMpi;
  struct Part {
    MPI_Comm ranks;
    Numbers* numbers;
  };
  Mpi(Part part, std::chrono::seconds limit) : limit_(limit), numbers_(part.numbers) {
    join(part.ranks);
    MPI_Comm_free(&part.ranks);
  }

  /// The counters of the world. All of its ranks make them together, when they are first needed or split.
  Numbers& numbers() {
    if (numbers_ == nullptr) {
      detail::gather(*this, rank_);  // what MPI does with all of them waits without a limit
      own_numbers_ = std::make_unique<Numbers>(ranks_, rank_);
      numbers_ = own_numbers_.get();
    }
    return *numbers_;
  }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) {
    for (const Incoming& piece : in)
      for_each_message(piece.bytes, [&](std::byte* bytes, int count) {
        expected_.push_back({piece.from, count});
        begun(MPI_Irecv(bytes, count, MPI_BYTE, piece.from, 0, ranks_, &requests_.emplace_back(MPI_REQUEST_NULL)),
              "receive");
      });
    const auto send = survives_ ? &MPI_Issend : &MPI_Isend;  // see wait_for_all
    for (const Outgoing& piece : out)
      for_each_message(piece.bytes, [&](const std::byte* bytes, int count) {
        receivers_.push_back(piece.to);
        begun(send(bytes, count, MPI_BYTE, piece.to, 0, ranks_, &requests_.emplace_back(MPI_REQUEST_NULL)), "send");
      });
    if (survives_) {
      wait_for_all();
      if (detail::ulfm::has_lost(ranks_)) give_up();
    }
    wait();
  }
  /// What comes later must not go to memory that the caller has freed. What has begun to come is awaited for a second.
  SINTER_COLD void cancel_receives() {
    failed_ = true;
    const std::size_t count = std::min(expected_.size(), requests_.size());
    for (std::size_t i = 0; i < count; ++i)
      if (requests_[i] != MPI_REQUEST_NULL) MPI_Cancel(&requests_[i]);
    static_cast<void>(detail::wait_until(std::chrono::seconds(1), [&] {
      int done = 0;
      MPI_Testall(static_cast<int>(count), requests_.data(), &done, MPI_STATUSES_IGNORE);
      return done != 0;
    }));
  }

  struct Expected {
    int from, count;
  };
  template <class Byte, class F>
  static void for_each_message(std::span<Byte> bytes, F&& f) {
    constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts in int
    for (std::size_t i = 0; i < bytes.size(); i += most)
      f(bytes.data() + i, static_cast<int>(std::min(most, bytes.size() - i)));
  }

  template <class Done>
  void until(Done&& done) const {
    if (detail::wait_until(limit_, done)) return;
    std::vector<int> senders;
    for (const Expected& one : expected_) senders.push_back(one.from);
    detail::fail_late_in_mpi(
        detail::text_of_ranks(detail::late_in_mpi(requests_, senders, receivers_, ranks_, ended_ranks)), limit_);
  }
  /// Waits for all pending requests, or until a rank is lost, and keeps them: Open MPI 5.0.11 ends the program if a
  /// message cannot be sent whose request was freed.
  void wait_for_all() const {
    std::size_t first = 0;
    until([&] {
      if (detail::ulfm::has_lost(ranks_)) return true;
      for (int done = 1; first < requests_.size(); ++first) {
        MPI_Request_get_status(requests_[first], &done, MPI_STATUS_IGNORE);
        if (done == 0) return false;
      }
      return true;
    });
  }
  /// Waits for all pending requests.
  void wait() {
    statuses_.resize(requests_.size());
    indices_.resize(requests_.size());
    std::size_t left = requests_.size();
    until([&] {
      if (left == 0) return true;
      int done = 0;
      const int code =
          MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices_.data(), statuses_.data());
      if (code != MPI_SUCCESS) fail_in(code, done);
      for (int i = 0; i < done; ++i) check_size(i);
      left -= static_cast<std::size_t>(done);
      return left == 0;
    });
  }
  void begun(int code, const char* what) {
    if (detail::ulfm::is_loss(code)) give_up();
    detail::check_mpi(code, what);
  }
  /// Where a rank is lost: makes all others know it, and ends what is to be received.
  [[noreturn]] SINTER_COLD void give_up() {
    if (survives_) {
      detail::ulfm::revoke(ranks_);
      statuses_.resize(requests_.size());
      indices_.resize(requests_.size());
      until([&] {
        int done = 0;
        MPI_Testsome(static_cast<int>(expected_.size()), requests_.data(), &done, indices_.data(), statuses_.data());
        return done == MPI_UNDEFINED || expected_.empty();
      });
    }
    throw RankLost();
  }
  /// What was expected by the i-th completed request, if it received something; else null.
  const Expected* expected(int i) const {
    const auto request = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    return request < expected_.size() ? &expected_[request] : nullptr;
  }
  void check_size(int i) {
    const Expected* const one = expected(i);
    if (one == nullptr) return;
    int count = 0;
    MPI_Get_count(&statuses_[static_cast<std::size_t>(i)], MPI_BYTE, &count);
    if (count != one->count) detail::fail_size_in_mpi(one->from, one->count, std::to_string(count) + " bytes");
  }
  SINTER_COLD void fail_in(int code, int done) {
    if (detail::ulfm::is_loss(code)) give_up();
    if (code == MPI_ERR_IN_STATUS)
      for (int i = 0; i < done; ++i) {
        const int own = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
        if (own == MPI_SUCCESS || own == MPI_ERR_PENDING) continue;
        if (detail::ulfm::is_loss(own)) give_up();
        if (const Expected* const one = expected(i))
          detail::fail_size_in_mpi(one->from, one->count, "something else (" + detail::text_of_mpi(own) + ")");
        detail::check_mpi(own, "send");
      }
    detail::check_mpi(code, "exchange");
  }
  SINTER_COLD void join(MPI_Comm ranks) {
    detail::check_mpi(MPI_Comm_dup(ranks, &ranks_), "copy its communicator");
    if (detail::ulfm::is_on()) job.add(ranks_);
    use();
  }
  SINTER_COLD void use() {
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  /// Makes an exception that leaves main end all ranks.
  void watch() {
    survives_ = detail::ulfm::is_on();
    ended_rank = rank_, ended_size = size_, ended_ranks = ranks_;
    terminate_before_ = std::set_terminate(&end_all);
    watches_ = true;
  }
  /// Called when an exception leaves main, so that no rank waits for this one.
  [[noreturn]] static void end_all() {
    std::string text = "it was terminated";
    try {
      if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      text = error.what();
    } catch (...) {
      text = "an exception that is not a std::exception";
    }
    if (text.starts_with("sinter: ")) text.erase(0, 8);
    std::fprintf(stderr, "sinter: rank %d of %d failed: %s\n", ended_rank, ended_size, text.c_str());
    std::fflush(stderr);
    end_job();
    std::abort();
  }
  /// MPI_Finalize sometimes waits for a lost rank for ever, in Open MPI 5.0.11.
  SINTER_COLD void end_with_others() {
    int all = detail::ulfm::Job::going_on;
    detail::ulfm::agree(ranks_, all, limit_);
    static_cast<void>(own_numbers_.release());
  }
  static void end_job() {
    if (detail::ulfm::is_on()) {
      job.leave();
      std::fflush(nullptr);
      std::_Exit(1);
    }
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  static inline int ended_rank = 0, ended_size = 1;
  static inline MPI_Comm ended_ranks = MPI_COMM_NULL;
  static inline detail::ulfm::Job job;
  const std::chrono::seconds limit_;
  const int exceptions_ = std::uncaught_exceptions();
  std::terminate_handler terminate_before_ = nullptr;
  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  bool ends_ = false, watches_ = false, survives_ = false, failed_ = false;
  std::unique_ptr<Numbers> own_numbers_;
  Numbers* numbers_ = nullptr;
  std::vector<MPI_Request> requests_;
  std::vector<Expected> expected_;
  std::vector<int> receivers_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> indices_;  // of requests
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Mpi;
}  // namespace sinter
