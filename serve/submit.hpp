// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sinter/serve/request.hpp>
#include <sinter/version.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "inference.hpp"
#include "models.hpp"
#include "request_times.hpp"

namespace sinter_serve {

inline std::string server_version() {
  return std::to_string(SINTER_VERSION_MAJOR) + "." + std::to_string(SINTER_VERSION_MINOR) + "." +
         std::to_string(SINTER_VERSION_PATCH);
}

/// Takes the rows of a request to the queue of a model. answer(status, y, error) is called once, in a thread of the model,
/// unless this fails with a RequestError.
template <class Answer>
void submit(RunningModel& model, InferenceRequest& asked, sinter::RequestOptions options, Answer answer) {
  if (asked.timeout.count() > 0)
    options.deadline = std::min(options.deadline, std::chrono::steady_clock::now() + asked.timeout);
  const auto began = RequestTimes::Clock::now();
  auto timed = [&model, began, answer = std::move(answer)](sinter::RequestStatus status, std::span<const float> y,
                                                           std::string_view error) {
    model.times.add(status == sinter::RequestStatus::answered, RequestTimes::Clock::now() - began);
    answer(status, y, error);
  };
  std::unique_ptr<Queue::Request> request =
      std::make_unique<sinter::internal::detail::CallingRequest<float, decltype(timed)>>(
          std::move(asked.x), asked.rows, std::move(options), std::move(timed));
  if (const auto refusal = model.queue.enqueue(request)) {
    model.times.add(false, RequestTimes::Clock::now() - began);
    throw *refusal;
  }
}

}  // namespace sinter_serve
