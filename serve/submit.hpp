// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sinter/serve/request.hpp>
#include <sinter/version.hpp>
#include <string>
#include <utility>

#include "inference.hpp"
#include "models.hpp"

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
  std::unique_ptr<Queue::Request> request = std::make_unique<sinter::internal::detail::CallingRequest<float, Answer>>(
      std::move(asked.x), asked.rows, std::move(options), std::move(answer));
  if (const auto refusal = model.queue.enqueue(request)) throw *refusal;
}

}  // namespace sinter_serve
