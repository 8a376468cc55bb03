// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

/// The outcome of a request to a Batcher or a Session.
enum class RequestStatus {
  answered,
  queue_full,         ///< refused at once: too many rows waited, or too many sessions were open
  deadline_exceeded,  ///< its deadline passed while it waited
  cancelled,          ///< its stop_token was set before it was computed
  stopped,            ///< refused at once: the Batcher, or the Sessions, were stopped
  failed,             ///< the network threw, or no worker is left
  closed              ///< refused at once: its Session was closed, or had expired
};
inline constexpr std::size_t request_status_count = 7;

/// Options of a request.
struct RequestOptions {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token cancellation = {};
};

/// Why a request was not answered: what its future and its coroutine throw.
struct RequestError : Error {
  RequestStatus status;
  RequestError(RequestStatus why, const std::string& text) : Error(text), status(why) {}
};

namespace detail {

/// Rows that wait for their outputs.
template <class Scalar>
class QueuedRequest {
 public:
  QueuedRequest(std::vector<Scalar> inputs, std::size_t row_count, RequestOptions given)
      : x(std::move(inputs)), rows(row_count), options(std::move(given)) {}
  QueuedRequest(const QueuedRequest&) = delete;
  QueuedRequest& operator=(const QueuedRequest&) = delete;
  virtual ~QueuedRequest() = default;
  /// Called once, with y [rows][outputs], or with an empty y and an error message; both are valid only during the call.
  virtual void answer(RequestStatus status, std::span<const Scalar> y, std::string_view error) = 0;

  std::vector<Scalar> x;
  std::size_t rows;
  RequestOptions options;
  std::chrono::steady_clock::time_point arrived{};
};

/// One that is answered by a call: answer(status, y, error).
template <class Scalar, class Call>
class CallingRequest final : public QueuedRequest<Scalar> {
 public:
  CallingRequest(std::vector<Scalar> inputs, std::size_t row_count, RequestOptions given, Call call)
      : QueuedRequest<Scalar>(std::move(inputs), row_count, std::move(given)), call_(std::move(call)) {}
  void answer(RequestStatus status, std::span<const Scalar> y, std::string_view error) override {
    call_(status, y, error);
  }

 private:
  Call call_;
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::RequestError;
using internal::RequestOptions;
using internal::RequestStatus;
}  // namespace sinter
