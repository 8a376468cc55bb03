// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/isa.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/stream.hpp"
#include "sinter/network/stream_weights.hpp"
#include "sinter/serve/askable.hpp"
#include "sinter/serve/session_options.hpp"
#include "sinter/serve/session_queue.hpp"
#include "sinter/serve/session_statistics.hpp"

SINTER_NAMESPACE_BEGIN

template <class ModelType, class Isa, class Distinct>
class Sessions;

namespace detail {

template <class Model, class Isa>
using StreamOf = Stream<Declared<StreamableModel<Model>>, Isa>;
template <class Model, class Isa>
using SessionQueueOf = SessionQueue<StreamOf<Model, Isa>, StreamWeights<Declared<StreamableModel<Model>>, Isa>>;

}  // namespace detail

/// One of many sequences that arrive moment by moment, with a Stream of its own: what Sessions::open() gives. Blocks of
/// moments are submitted by any thread, and answered one after the other, in the order in which they were submitted:
/// a future, callback or coroutine gets the rows that these moments give, which may be none. A block that is refused,
/// cancelled or late is not part of the sequence.
template <class ModelType, class Isa = isa::Native, class Model = detail::ModelOf<ModelType>>
class Session : public detail::Askable<Session<ModelType, Isa, Model>, detail::StreamOf<Model, Isa>> {
  using Base = detail::Askable<Session, detail::StreamOf<Model, Isa>>;
  using Queue = detail::SessionQueueOf<Model, Isa>;

 public:
  /// Refuses later blocks, and does not wait: those that wait are answered. So does the destructor.
  void close() { queue().close(); }

 private:
  friend Base;
  friend Sessions<ModelType, Isa, Model>;

  struct Open {
    std::shared_ptr<Queue> queue;
    std::shared_ptr<typename Queue::Session> session;

    explicit Open(std::shared_ptr<Queue> of) : queue(std::move(of)), session(queue->open()) {}
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() { close(); }
    void close() { queue->close(*session); }
    void check_rows(const void* x, std::size_t moments) const { queue->check_rows(x, moments); }
    std::optional<RequestError> enqueue(std::unique_ptr<detail::QueuedRequest<float>>& block) {
      return queue->enqueue(*session, block);
    }
    void pass(detail::QueuedRequest<float>& block, RequestStatus status, std::span<const float> y,
              std::string_view error) noexcept {
      queue->pass(block, status, y, error);
    }
  };
  explicit Session(std::shared_ptr<Queue> queue) : open_(std::make_unique<Open>(std::move(queue))) {}
  Open& queue() {
    if (!open_) fail("a session was used that has been moved from; use the one that it was moved to");
    return *open_;
  }

  std::unique_ptr<Open> open_;
};

/// Keeps a Stream of one network for each of many sessions, and answers their blocks by some threads: those of one
/// session in order, those of several at once. The answers of a session have the bits of one Stream.
///
///     Sessions sessions(net, {.workers = 2});
///     Session session = sessions.open();
///     std::future<Tensor<float, Shape<1>>> y = session.async(x);
template <class ModelType, class Isa = isa::Native, class Distinct = detail::ModelOf<ModelType>>
class Sessions {
  static_assert(sizeof(detail::CheckForStream<Distinct>) > 0);

 public:
  using Model = Distinct;

  /// `net` is what StreamWeights take: a Network on the host, or a View. Its weights are copied.
  template <class Net>
    requires(std::is_same_v<typename Net::Model, Model>)
  explicit Sessions(const Net& net, const SessionOptions& options = {})
      : queue_(std::make_shared<Queue>(weights_of(net), options)) {}
  template <class Net>
  Sessions(const volatile Net&, ...) = delete;  // sinter: options are workers, max_sessions, max_waiting, idle_time
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  /// As stop().
  ~Sessions() { queue_->stop(); }

  /// A session before its first moment. Fails with a RequestError of RequestStatus::queue_full where `max_sessions` are
  /// open, and of `stopped` where these were stopped.
  Session<ModelType, Isa> open() { return Session<ModelType, Isa>(queue_); }
  /// Open sessions continue with these weights from their next block, with the state that they have. Blocks submitted
  /// after this call use the new weights, and no block uses two.
  template <class Net>
    requires(std::is_same_v<typename Net::Model, Model>)
  void replace(const Net& net) {
    queue_->use(weights_of(net));
  }
  /// Refuses new sessions and blocks, answers the blocks that wait, and returns when all are answered. Fails if it is
  /// called from an answer. Sessions may outlive this object.
  void stop() { queue_->stop(); }
  SessionStatistics statistics() const { return queue_->statistics(); }
  const SessionOptions& options() const { return queue_->options(); }

 private:
  using Queue = detail::SessionQueueOf<Model, Isa>;

  template <class Net>
  static typename Queue::SharedWeights weights_of(const Net& net) {
    if constexpr (requires { Net::on_host; }) (void)net.data();  // fails if it was moved from
    if constexpr (std::is_same_v<detail::StreamableModel<Model>, Model>)
      return std::make_shared<const StreamWeights<ModelType, Isa>>(net);
    else
      return {};  // refused
  }

  std::shared_ptr<Queue> queue_;
};
template <class Net>
Sessions(const Net&, ...) -> Sessions<detail::Declared<typename Net::Model>>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Session;
using internal::Sessions;
}  // namespace sinter
