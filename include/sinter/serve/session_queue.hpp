// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/core/text.hpp"
#include "sinter/serve/queue_threads.hpp"
#include "sinter/serve/request.hpp"
#include "sinter/serve/session_options.hpp"
#include "sinter/serve/session_statistics.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Sessions, each with a stream and the blocks that wait for it, and the threads that compute them. A thread takes the
/// session that has been ready for longest, computes and answers one block, and puts the session back. So the blocks of
/// a session are answered in order, and no session holds up the others.
template <class Stream, class Weights>
class SessionQueue : public QueueThreads<float> {
 public:
  using SharedWeights = std::shared_ptr<const Weights>;
  struct Session;

  SessionQueue(SharedWeights weights, const SessionOptions& options)
      : QueueThreads("the set of sessions"),
        options_((options.check(), options)),
        outputs_(static_cast<std::size_t>(options.workers),
                 std::vector<float>(options.max_waiting * Stream::output_size)),
        weights_(std::move(weights)) {
    start(outputs_.size(), [this](std::size_t i) { work(outputs_[i]); });
  }
  ~SessionQueue() { stop(); }

  /// Fails with a RequestError if too many are open.
  std::shared_ptr<Session> open() {
    const std::scoped_lock lock(mutex_);
    if (auto refusal = refusal_if_stopped()) throw *refusal;
    expire();
    if (open_ == options_.max_sessions) {
      ++refused_;
      throw RequestError(RequestStatus::queue_full,
                         joined({"sinter: ", open_, " sessions are open, and .max_sessions is ", options_.max_sessions,
                                 "; close one, or open another one later"}));
    }
    const auto session = std::make_shared<Session>(weights_);
    session->place = idle_.insert(idle_.end(), session);
    ++open_, ++opened_;
    return session;
  }
  /// Refuses later blocks; those that wait are answered.
  void close(Session& session) {
    const std::scoped_lock lock(mutex_);
    if (session.closed) return;
    session.closed = "sinter: the session was closed, and takes no more blocks";
    if (session.idle) end(idle_, session);
  }
  /// Fails with a message unless a block may have this many moments.
  void check_rows(const void* x, std::size_t moments) const {
    if (x == nullptr || moments == 0 || moments > options_.max_waiting)
      fail(joined({"a block of ", moments, x == nullptr && moments != 0 ? " moments at a null pointer" : " moments",
                   " was submitted; give it 1 to ", options_.max_waiting, " moments, or the sessions a larger ",
                   ".max_waiting"}));
  }
  /// Takes a block that fits check_rows; or leaves it, and says why.
  [[nodiscard]] std::optional<RequestError> enqueue(Session& session, std::unique_ptr<Request>& block) {
    Blocks node;
    node.push_back(std::move(block));
    Request& added = *node.front();
    std::unique_lock lock(mutex_);
    if (auto refusal = refusal_of(session, added)) {
      lock.unlock();
      counters_.count(refusal->status);
      block = std::move(node.front());
      return refusal;
    }
    added.arrived = Clock::now();
    session.moments += added.rows;
    waiting_moments_ += added.rows;
    session.blocks.splice(session.blocks.end(), node);
    if (!std::exchange(session.idle, false)) return std::nullopt;
    ready_.splice(ready_.end(), idle_, session.place);
    lock.unlock();
    wake_.notify_one();
    return std::nullopt;
  }
  /// Every session continues with these weights from its next block.
  void use(SharedWeights weights) {
    const std::scoped_lock lock(mutex_);
    weights_.swap(weights);
  }
  SessionStatistics statistics() const {
    const std::scoped_lock lock(mutex_);
    return {counters_.read(waiting_moments_), open_, opened_, expired_, refused_};
  }
  const SessionOptions& options() const { return options_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Blocks = std::list<std::unique_ptr<Request>>;
  using Sessions = std::list<std::shared_ptr<Session>>;

 public:
  /// In idle_, in ready_, or with a thread: only that thread uses its stream; everything else is guarded by mutex_.
  struct Session {
    explicit Session(SharedWeights with) : weights(std::move(with)), stream(new Stream(*weights)) {}
    SharedWeights weights;
    std::unique_ptr<Stream> stream;         // until it is closed and its last block answered
    Blocks blocks{};                        // that wait
    std::size_t moments = 0;                // of these
    Clock::time_point last = Clock::now();  // when it was opened, or its last block answered
    bool idle = true;
    const char* closed = nullptr;  // why
    typename Sessions::iterator place{};
  };

 private:
  std::optional<RequestError> refusal_of(const Session& session, const Request& added) const {
    if (auto refusal = refusal_if_stopped()) return refusal;
    if (session.closed) return RequestError(RequestStatus::closed, session.closed);
    if (session.moments + added.rows > options_.max_waiting)
      return RequestError(
          RequestStatus::queue_full,
          joined({"sinter: the session is full: ", session.moments, " moments wait, and .max_waiting is ",
                  options_.max_waiting, "; submit the block again later, or give the sessions more workers"}));
    return std::nullopt;
  }

  void work(std::vector<float>& y) {
    Sessions session;  // and its block, taken from those that wait: nodes move, and nothing is allocated
    Blocks block;
    std::unique_lock lock(mutex_);
    while (take(lock, session, block)) {
      lock.unlock();
      compute(*session.front()->stream, *block.front(), y);
      block.clear();  // destructors in its callback may call this object, too
      lock.lock();
      put_back(session);
    }
  }
  /// Waits for a session that is ready. False when none will come.
  bool take(std::unique_lock<std::mutex>& lock, Sessions& session, Blocks& block) {
    for (expire(); ready_.empty(); expire()) {
      if (stopping_) return false;
      if (options_.idle_time == options_.idle_time.zero())
        wake_.wait(lock);
      else
        wake_.wait_until(lock, (idle_.empty() ? Clock::now() : idle_.front()->last) + options_.idle_time);
    }
    session.splice(session.end(), ready_, ready_.begin());
    Session& taken = *session.front();
    block.splice(block.end(), taken.blocks, taken.blocks.begin());
    taken.moments -= block.front()->rows;
    waiting_moments_ -= block.front()->rows;
    if (taken.weights != weights_) {
      taken.weights = weights_;
      taken.stream->use(*weights_);
    }
    return true;
  }
  void compute(Stream& stream, Request& block, std::vector<float>& y) noexcept {
    const auto begin = Clock::now();
    if (block.options.cancellation.stop_requested()) return answer_cancelled(block);
    if (block.options.deadline <= begin) return answer_late(block);
    if (block.rows > Stream::max_moments - stream.moments())
      return answer(block, RequestStatus::failed, {},
                    "sinter: the block goes beyond the positions of the network: submit a shorter one, or open another "
                    "session");
    const std::size_t rows = stream.push(TensorView<const float, typename Stream::InputRow>{block.x.data(), block.rows},
                                         TensorView<float, typename Stream::OutputRow>{y.data(), options_.max_waiting});
    counters_.waiting.record(begin - block.arrived);
    counters_.computing.record(Clock::now() - begin);
    counters_.batches.fetch_add(1, std::memory_order_relaxed);
    counters_.rows.fetch_add(block.rows, std::memory_order_relaxed);
    answer(block, RequestStatus::answered, {y.data(), rows * Stream::output_size}, {});
  }
  void put_back(Sessions& session) {
    Session& done = *session.front();
    done.last = Clock::now();
    if (!done.blocks.empty())
      ready_.splice(ready_.end(), session);
    else if (done.closed)
      end(session, done);
    else {
      done.idle = true;
      idle_.splice(idle_.end(), session);  // which is in the order of `last`
    }
  }
  void expire() {
    if (options_.idle_time == options_.idle_time.zero()) return;
    const auto before = Clock::now() - options_.idle_time;
    while (!idle_.empty() && idle_.front()->last <= before) {
      const auto session = idle_.front();
      session->closed = "sinter: the session has expired, as it got no block for .idle_time; open another one";
      end(idle_, *session);
      ++expired_;
    }
  }
  void end(Sessions& from, Session& session) {
    session.idle = false;
    session.stream.reset();
    session.weights.reset();
    --open_;
    from.erase(session.place);
  }

  const SessionOptions options_;
  std::vector<std::vector<float>> outputs_;  // of each thread
  // Under mutex_:
  SharedWeights weights_;
  Sessions ready_, idle_;
  std::size_t open_ = 0, waiting_moments_ = 0;
  std::uint64_t opened_ = 0, expired_ = 0, refused_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END
