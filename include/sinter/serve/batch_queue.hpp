// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/serve/batcher_options.hpp"
#include "sinter/serve/batcher_statistics.hpp"
#include "sinter/serve/queue_threads.hpp"
#include "sinter/serve/request.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Requests that wait, and the threads that answer them in batches. It has the sizes of rows, and a function for each
/// worker that computes them.
template <class Scalar>
class BatchQueue : public QueueThreads<Scalar> {
  using Threads = QueueThreads<Scalar>;

 public:
  using typename Threads::Request;
  /// x [rows][inputs] to y [rows][outputs], for up to max_batch rows. An exception that it throws is the answer to its
  /// batch.
  using Compute = std::function<void(const Scalar* x, std::size_t rows, Scalar* y)>;
  /// Called for each worker, by its number, before threads start, and by a worker whose function has thrown.
  using MakeCompute = std::function<Compute(std::size_t worker)>;

  BatchQueue(std::size_t inputs, std::size_t outputs, const BatcherOptions& options, MakeCompute make)
      : Threads("the batcher"),
        inputs_(inputs),
        outputs_(outputs),
        options_((options.check(), options)),
        make_(std::move(make)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(options_.workers); ++i)
      workers_.push_back(
          std::make_unique<Worker>(i, make_(i), options_.max_batch * inputs, options_.max_batch * outputs));
    living_ = workers_.size();
    this->start(workers_.size(), [this](std::size_t i) { work(*workers_[i]); });
  }
  ~BatchQueue() { this->stop(); }

  /// Fails with a message unless a request may have this many rows.
  void check_rows(const void* x, std::size_t rows) const {
    if (x == nullptr || rows == 0 || rows > options_.max_batch)
      fail(joined({"a request of ", rows, x == nullptr && rows != 0 ? " rows at a null pointer" : " rows",
                   " was submitted; give it 1 to ", options_.max_batch, " rows, or the batcher a larger .max_batch"}));
  }
  /// Takes a request that fits check_rows; or leaves it, and says why.
  [[nodiscard]] std::optional<RequestError> enqueue(std::unique_ptr<Request>& request) {
    std::list<std::unique_ptr<Request>> node;
    node.push_back(std::move(request));
    Request& added = *node.front();
    std::unique_lock lock(mutex_);
    if (auto refusal = refusal_of(added)) {
      lock.unlock();
      counters_.count(refusal->status);
      request = std::move(node.front());
      return refusal;
    }
    added.arrived = Clock::now();
    const bool urgent = waiting_.empty() || added.options.deadline < first_deadline_;
    first_deadline_ = std::min(first_deadline_, added.options.deadline);
    waiting_rows_ += added.rows;
    waiting_.splice(waiting_.end(), node);
    const bool full = waiting_rows_ >= options_.max_batch;
    if (urgent || full) wake_.notify_one();  // under the lock: once it is answered, a callback may end the queue
    return std::nullopt;
  }
  BatcherStatistics statistics() const {
    const std::scoped_lock lock(mutex_);
    return counters_.read(waiting_rows_);
  }
  const BatcherOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Requests = std::list<std::unique_ptr<Request>>;
  struct Worker {
    Worker(std::size_t number, Compute function, std::size_t inputs, std::size_t outputs)
        : index(number), compute(std::move(function)), x(inputs), y(outputs) {}
    std::size_t index;
    Compute compute;
    std::vector<Scalar> x, y;
    Requests batch, late, cancelled;  // taken from those that wait; nodes move, and nothing is allocated
  };

  std::optional<RequestError> refusal_of(const Request& added) const {
    if (auto refusal = this->refusal_if_stopped()) return refusal;
    if (living_ == 0)
      return RequestError(RequestStatus::failed, "sinter: no worker of the batcher is left: " + last_words_);
    if (waiting_rows_ + added.rows > options_.max_waiting)
      return RequestError(RequestStatus::queue_full,
                          joined({"sinter: the queue is full: ", waiting_rows_, " rows wait, and .max_waiting is ",
                                  options_.max_waiting, "; submit it again later, or give the batcher more workers"}));
    return std::nullopt;
  }

  void work(Worker& worker) {
    std::string problem;
    while (wait_for_batch(worker)) {
      for (auto& request : worker.late) this->answer_late(*request);
      for (auto& request : worker.cancelled) this->answer_cancelled(*request);
      worker.late.clear();
      worker.cancelled.clear();
      if (!worker.batch.empty() && !compute(worker, problem)) break;
    }
    Requests left;
    {
      const std::scoped_lock lock(mutex_);
      if (!problem.empty()) last_words_ = problem.starts_with("sinter: ") ? problem.substr(8) : problem;
      if (--living_ == 0) left.swap(waiting_), waiting_rows_ = 0;
    }
    for (auto& request : left) this->answer(*request, RequestStatus::failed, {}, problem);
  }

  /// Takes requests that are due, late or cancelled. False when none will come.
  bool wait_for_batch(Worker& worker) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto now = Clock::now();
      if (now >= first_deadline_) take_late(worker, now);
      if (!waiting_.empty() && (stopping_ || waiting_rows_ >= options_.max_batch || now >= leaves_at()))
        take_batch(worker);
      if (!worker.batch.empty() || !worker.late.empty() || !worker.cancelled.empty()) {
        if (!waiting_.empty()) wake_.notify_one();
        return true;
      }
      if (!waiting_.empty())
        wake_.wait_until(lock, std::min(leaves_at(), first_deadline_));
      else if (stopping_)
        return false;
      else
        wake_.wait(lock);
    }
  }
  Clock::time_point leaves_at() const { return waiting_.front()->arrived + options_.max_delay; }
  void take_late(Worker& worker, Clock::time_point now) {
    first_deadline_ = Clock::time_point::max();
    for (auto next = waiting_.begin(); next != waiting_.end();) {
      const auto request = next++;
      if ((*request)->options.deadline <= now)
        take(request, worker.late);
      else
        first_deadline_ = std::min(first_deadline_, (*request)->options.deadline);
    }
  }
  void take_batch(Worker& worker) {
    std::size_t rows = 0;
    while (!waiting_.empty() && rows + waiting_.front()->rows <= options_.max_batch) {
      const bool cancelled = waiting_.front()->options.cancellation.stop_requested();
      if (!cancelled) rows += waiting_.front()->rows;
      take(waiting_.begin(), cancelled ? worker.cancelled : worker.batch);
    }
    if (waiting_.empty()) first_deadline_ = Clock::time_point::max();
  }
  void take(typename Requests::iterator request, Requests& to) {
    waiting_rows_ -= (*request)->rows;
    to.splice(to.end(), waiting_, request);
  }

  /// Computes and answers a batch. False if the worker cannot continue; `problem` says why.
  bool compute(Worker& worker, std::string& problem) {
    const auto begin = Clock::now();
    std::size_t rows = 0;
    for (const auto& request : worker.batch) {
      counters_.waiting.record(begin - request->arrived);
      std::copy(request->x.begin(), request->x.end(), worker.x.begin() + static_cast<std::ptrdiff_t>(rows * inputs_));
      rows += request->rows;
    }
    const bool computed = succeeds([&] { worker.compute(worker.x.data(), rows, worker.y.data()); }, problem);
    counters_.computing.record(Clock::now() - begin);
    counters_.batches.fetch_add(1, std::memory_order_relaxed);
    counters_.rows.fetch_add(rows, std::memory_order_relaxed);
    const Scalar* y = worker.y.data();
    for (auto& request : worker.batch) {
      const std::size_t numbers = request->rows * outputs_;
      if (computed)
        this->answer(*request, RequestStatus::answered, {y, numbers}, {});
      else
        this->answer(*request, RequestStatus::failed, {}, problem);
      y += numbers;
    }
    worker.batch.clear();
    if (computed) return true;
    const bool revived = succeeds([&] { worker.compute = make_(worker.index); }, problem);
    if (revived) problem.clear();
    return revived;
  }
  template <class Work>
  static bool succeeds(Work&& work, std::string& problem) {
    try {
      work();
      return true;
    } catch (const std::exception& error) {
      problem = error.what();
    } catch (...) {
      problem = "sinter: the network threw something that is not a std::exception";
    }
    if (problem.empty()) problem = "sinter: the network threw an exception without a text";
    return false;
  }

  const std::size_t inputs_, outputs_;
  const BatcherOptions options_;
  const MakeCompute make_;
  std::vector<std::unique_ptr<Worker>> workers_;
  using Threads::counters_, Threads::mutex_, Threads::wake_, Threads::stopping_;
  // Under mutex_:
  Requests waiting_;
  std::size_t waiting_rows_ = 0, living_ = 0;
  Clock::time_point first_deadline_ = Clock::time_point::max();
  std::string last_words_;
};

}  // namespace detail

SINTER_NAMESPACE_END
