// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/braced.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/serve/request.hpp"

SINTER_NAMESPACE_BEGIN

/// What the callback of a request gets.
template <class Net>
struct Answer {
  RequestStatus status;
  /// [rows][output], until the callback returns; no rows unless it was answered.
  TensorView<const typename Net::Scalar, typename Net::OutputRow> y;
  std::string_view error;  ///< why it was not answered
};

/// A request that a coroutine makes by awaiting it: `Tensor y = co_await batcher.submit(x)`. The coroutine resumes in
/// the thread that answers, or, if the request is refused at once, in its own, where a RequestError is thrown. x need
/// not outlive the expression.
template <class Asked>
class [[nodiscard]] Submission {
 public:
  using Scalar = typename Asked::Scalar;
  using Rows = typename Asked::Rows;
  using Outputs = typename Asked::Outputs;

  Submission(Asked& asked, Rows x, RequestOptions options) : asked_(asked), x_(x), options_(std::move(options)) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    auto request =
        Asked::request(asked_.queue(), x_, std::move(options_),
                       [this, coroutine](RequestStatus status, std::span<const Scalar> y, std::string_view error) {
                         if (status == RequestStatus::answered)
                           y_.assign(y.begin(), y.end());
                         else
                           refusal_.emplace(status, std::string(error));
                         coroutine.resume();
                       });
    y_.reserve(x_.rows * Outputs::Shape::size);      // so that the other thread allocates nothing
    auto refusal = asked_.queue().enqueue(request);  // from here on the coroutine, and *this, may be destroyed
    if (!refusal) return true;
    refusal_.emplace(*refusal);
    return false;
  }
  Outputs await_resume() {
    if (refusal_) throw *refusal_;
    return Outputs(std::move(y_));
  }

 private:
  Asked& asked_;
  Rows x_;
  RequestOptions options_;
  std::vector<Scalar> y_;
  std::optional<RequestError> refusal_;
};

namespace detail {

/// The three ways to send a request, which Batcher and Session share. Self has a queue(), of check_rows,
/// enqueue and pass.
template <class Self, class Net>
class Askable {
 public:
  using Scalar = typename Net::Scalar;
  using InputRow = typename Net::InputRow;
  using OutputRow = typename Net::OutputRow;
  using Rows = TensorView<const Scalar, InputRow>;
  using Outputs = Tensor<Scalar, OutputRow>;

  /// Calls callback(Answer<Net>) once, in the thread that answers, or, if the request is refused at once, in this one.
  /// x is copied. An exception thrown by the callback is counted and has no other effect. Fails if x has no rows, or
  /// more than may wait or fit a batch.
  template <class Callback>
    requires std::invocable<Callback&, Answer<Net>>
  void submit(Rows x, Callback callback, RequestOptions options = {}) {
    auto& to = queue();
    auto waiting = request(to, x, std::move(options),
                           [callback = std::move(callback)](RequestStatus status, std::span<const Scalar> y,
                                                            std::string_view error) mutable {
                             std::invoke(callback, Answer<Net>{status, {y.data(), y.size() / OutputRow::size}, error});
                           });
    if (const auto refusal = to.enqueue(waiting)) to.pass(*waiting, refusal->status, {}, refusal->what());
  }
  /// The outputs as a future. get() throws a RequestError if the request was not answered.
  std::future<Outputs> async(Rows x, RequestOptions options = {}) {
    std::promise<Outputs> promise;
    auto future = promise.get_future();
    submit(
        x,
        [promise = std::move(promise)](const Answer<Net>& answer) mutable {
          if (answer.status == RequestStatus::answered)
            promise.set_value(
                Outputs(std::vector<Scalar>(answer.y.data, answer.y.data + answer.y.rows * OutputRow::size)));
          else
            promise.set_exception(std::make_exception_ptr(RequestError(answer.status, std::string(answer.error))));
        },
        std::move(options));
    return future;
  }
  /// For `co_await`, which submits it.
  Submission<Askable> submit(Rows x, RequestOptions options = {}) { return {*this, x, std::move(options)}; }

  /// Anything else is refused with a message.
  template <class X = Braced>
    requires(!std::convertible_to<const X&, Rows>)
  std::future<Outputs> async(const X&, const RequestOptions& = {}) {
    refuse<X>();
    return {};
  }
  template <class X = Braced, class... More>
    requires(!std::convertible_to<const X&, Rows>)
  Submission<Askable> submit(const X&, const More&...) {
    refuse<X>();
    return {*this, {}, {}};
  }
  template <class Callback, class... More>
    requires(!std::invocable<Callback&, Answer<Net>> && !std::convertible_to<Callback, RequestOptions>)
  void submit(const Rows&, Callback, const More&...) {
    static_assert(
        std::is_void_v<Callback>,
        "sinter: the callback of a Batcher or a Session takes an answer: submit(x, [](const auto& answer) { .. }), "
        "with answer.status, answer.y and answer.error");
  }

 private:
  friend Self;
  friend Submission<Askable>;
  Askable() = default;

  auto& queue() { return static_cast<Self&>(*this).queue(); }
  template <class Queue, class Call>
  static std::unique_ptr<QueuedRequest<Scalar>> request(const Queue& queue, Rows x, RequestOptions options, Call call) {
    queue.check_rows(x.data, x.rows);
    std::vector<Scalar> copy(x.rows * InputRow::size);
    for (std::size_t row = 0; row < x.rows; ++row) copy_row(x, row, copy.data() + row * InputRow::size);
    return std::make_unique<CallingRequest<Scalar, Call>>(std::move(copy), x.rows, std::move(options), std::move(call));
  }
  template <class X>
  static void refuse() {
    constexpr bool fits = std::convertible_to<const X&, Rows>;
    static_assert(fits,
                  "sinter: a Batcher takes rows of the network's numbers in the shape of its Input, and a Session "
                  "moments of it: a Tensor, or a TensorView<const Scalar, InputRow>");
  }
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::Answer;
using internal::Submission;
}  // namespace sinter
