// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/braced.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/network/network.hpp"
#include "sinter/serve/batch_queue.hpp"
#include "sinter/serve/batcher_options.hpp"
#include "sinter/serve/batcher_statistics.hpp"
#include "sinter/serve/replacement.hpp"
#include "sinter/serve/request.hpp"

SINTER_NAMESPACE_BEGIN

template <class Net>
class Batcher;

/// What the callback of a request gets.
template <class Net>
struct Answer {
  RequestStatus status;
  /// [rows][output], until the callback returns; no rows unless it was answered.
  TensorView<const typename Net::Scalar, typename Net::OutputRow> y;
  std::string_view error;  ///< why it was not answered
};

/// A request that a coroutine makes by awaiting it: `Tensor y = co_await batcher.submit(x)`. The coroutine goes on in a
/// thread of the batcher, or, where the request is refused at once, in its own; a RequestError is thrown there. x need
/// not outlive the expression.
template <class Net>
class [[nodiscard]] Submission {
 public:
  using Scalar = typename Net::Scalar;
  using OutputRow = typename Net::OutputRow;

  Submission(Batcher<Net>& batcher, TensorView<const Scalar, typename Net::InputRow> x, RequestOptions options)
      : batcher_(batcher), x_(x), options_(std::move(options)) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    y_ = Tensor<Scalar, OutputRow>(x_.rows);
    auto request = batcher_.request(x_, std::move(options_),
                                    [this, coroutine](RequestStatus status, const Scalar* y, std::string_view error) {
                                      if (status == RequestStatus::answered)
                                        std::copy_n(y, y_.values().size(), y_.data());
                                      else
                                        refusal_.emplace(status, std::string(error));
                                      coroutine.resume();
                                    });
    auto refusal = batcher_.queue_.enqueue(request);  // from here on the coroutine, and *this, may be gone
    if (!refusal) return true;
    refusal_.emplace(*refusal);
    return false;
  }
  Tensor<Scalar, OutputRow> await_resume() {
    if (refusal_) throw *refusal_;
    return std::move(y_);
  }

 private:
  Batcher<Net>& batcher_;
  TensorView<const Scalar, typename Net::InputRow> x_;
  RequestOptions options_;
  Tensor<Scalar, OutputRow> y_;
  std::optional<RequestError> refusal_;
};

/// Answers requests from any number of threads in batches, by one network on any device. A batch leaves when it is full
/// or its oldest request has waited `max_delay`. A row's answer has the same bits alone and in any batch.
///
///     Batcher batcher(net, {.workers = 2, .max_batch = 64});
///     std::future<Tensor<float, Shape<10>>> y = batcher.async(x);
template <class Net>
class Batcher {
 public:
  using Scalar = typename Net::Scalar;
  using InputRow = typename Net::InputRow;
  using OutputRow = typename Net::OutputRow;
  using Rows = TensorView<const Scalar, InputRow>;

  explicit Batcher(Net net, const BatcherOptions& options = {})
      : device_(present(net).device()),
        current_(worker_count(options), std::make_shared<const Net>(std::move(net))),
        replacements_(current_.size()),
        queue_(InputRow::size, OutputRow::size, options, [this](std::size_t worker) { return computing(worker); }) {}
  template <class = void>
  Batcher(const Net&, ...) = delete;  // sinter: options are workers, max_batch, max_delay, max_waiting, normalize
  /// As stop().
  ~Batcher() = default;

  /// Calls callback(Answer<Net>) once, in a thread of the batcher, or, where the request is refused at once, in this
  /// one. x is copied. What the callback throws is counted and has no other effect. Fails where x has no rows, or more
  /// than `max_batch`.
  template <class Callback>
    requires std::invocable<Callback&, Answer<Net>>
  void submit(Rows x, Callback callback, RequestOptions options = {}) {
    auto waiting = request(x, std::move(options),
                           [rows = x.rows, callback = std::move(callback)](RequestStatus status, const Scalar* y,
                                                                           std::string_view error) mutable {
                             std::invoke(callback, Answer<Net>{status, {y, y ? rows : 0}, error});
                           });
    if (const auto refusal = queue_.enqueue(waiting)) queue_.pass(*waiting, refusal->status, nullptr, refusal->what());
  }
  /// The outputs, in time. get() throws a RequestError where the request was not answered.
  std::future<Tensor<Scalar, OutputRow>> async(Rows x, RequestOptions options = {}) {
    std::promise<Tensor<Scalar, OutputRow>> promise;
    auto future = promise.get_future();
    submit(
        x,
        [promise = std::move(promise)](const Answer<Net>& answer) mutable {
          if (answer.status == RequestStatus::answered)
            promise.set_value(Tensor<Scalar, OutputRow>(
                std::vector<Scalar>(answer.y.data, answer.y.data + answer.y.rows * OutputRow::size)));
          else
            promise.set_exception(std::make_exception_ptr(RequestError(answer.status, std::string(answer.error))));
        },
        std::move(options));
    return future;
  }
  /// For `co_await`; nothing is submitted before.
  Submission<Net> submit(Rows x, RequestOptions options = {}) { return {*this, x, std::move(options)}; }

  /// Anything else is refused, in words.
  template <class X = detail::Braced>
    requires(!std::convertible_to<const X&, Rows>)
  std::future<Tensor<Scalar, OutputRow>> async(const X&, const RequestOptions& = {}) {
    refuse<X>();
    return {};
  }
  template <class X = detail::Braced, class... More>
    requires(!std::convertible_to<const X&, Rows>)
  Submission<Net> submit(const X&, const More&...) {
    refuse<X>();
    return {*this, {}, {}};
  }
  template <class Callback, class... More>
    requires(!std::invocable<Callback&, Answer<Net>> && !std::convertible_to<Callback, RequestOptions>)
  void submit(const Rows&, Callback, const More&...) {
    static_assert(
        std::is_void_v<Callback>,
        "sinter: the callback of a Batcher takes an answer: batcher.submit(x, [](const auto& answer) { .. }), "
        "with answer.status, answer.y and answer.error");
  }

  /// Later requests are answered by this network, and so are batches that have not begun; no request by two. Workers
  /// take it between batches without a lock.
  void replace(Net net) {
    (void)present(net);
    if constexpr (!Net::on_host) {  // where the workspaces are
      Net there(device_);
      there.from_host(net.to_host());
      net = std::move(there);
    }
    const auto shared = std::make_shared<const Net>(std::move(net));
    for (auto& replacement : replacements_) replacement.give(shared);
  }
  /// Refuses requests from now on, answers those that wait, and returns when all are answered. Fails where an answer
  /// calls it.
  void stop() { queue_.stop(); }
  BatcherStatistics statistics() const { return queue_.statistics(); }
  const BatcherOptions& options() const { return queue_.options(); }

 private:
  friend Submission<Net>;
  using Shared = std::shared_ptr<const Net>;

  template <class X>
  static void refuse() {
    constexpr bool fits = std::convertible_to<const X&, Rows>;
    static_assert(fits,
                  "sinter: a Batcher takes rows of the network's numbers in the shape of its Input: a Tensor, or a "
                  "TensorView<const Scalar, InputRow>");
  }
  /// Fails where it was moved from: the workers could not say so.
  static const Net& present(const Net& net) {
    if constexpr (Net::on_host) (void)net.to_host();
    return net;
  }
  static std::size_t worker_count(const BatcherOptions& options) {
    options.check();
    return static_cast<std::size_t>(options.workers);
  }
  template <class Call>
  std::unique_ptr<detail::QueuedRequest<Scalar>> request(Rows x, RequestOptions options, Call call) {
    queue_.check_rows(x.data, x.rows);
    std::vector<Scalar> copy(x.rows * InputRow::size);
    for (std::size_t row = 0; row < x.rows; ++row) copy_row(x, row, copy.data() + row * InputRow::size);
    return std::make_unique<detail::CallingRequest<Scalar, Call>>(std::move(copy), x.rows, std::move(options),
                                                                  std::move(call));
  }
  /// What worker `index` calls. A worker that has failed gets a new workspace, and the network that it had.
  auto computing(std::size_t index) {
    struct Computing {
      Shared net;
      typename Net::Workspace workspace;
    };
    const std::size_t rows = queue_.options().max_batch;
    auto state = std::make_shared<Computing>(Computing{current_[index], current_[index]->workspace(rows)});
    return [this, index, state](const Scalar* x, std::size_t row_count, Scalar* y) {
      if (replacements_[index].take(current_[index])) state->net = current_[index];
      const auto outputs = state->net->forward(Rows{x, row_count}, state->workspace, queue_.options().normalize);
      std::copy_n(outputs.data, row_count * OutputRow::size, y);
    };
  }

  typename Net::Device device_;
  std::vector<Shared> current_;  // the network of each worker, which it alone reads and writes
  std::vector<detail::Replacement<const Net>> replacements_;  // for each worker
  detail::BatchQueue<Scalar> queue_;                          // last: its threads use the others
};
template <class Net>
Batcher(Net, ...) -> Batcher<Net>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Answer;
using internal::Batcher;
using internal::Submission;
}  // namespace sinter
