// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "line_writer.hpp"
#include "utc_text.hpp"

namespace sinter_serve {

using Json = nlohmann::json;

/// Text of a client in a message: at most `most` characters, without unprintable ones.
inline std::string shown(std::string_view text, std::size_t most = 80) {
  std::string clean(text.substr(0, most));
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return text.size() > most ? clean + ".." : clean;
}

/// A request that was answered, without its contents.
struct Access {
  std::string client, method, path, status;
  std::size_t received, sent;  // bytes
  std::chrono::steady_clock::duration time;
};

/// One line of JSON for each request on the standard output, and how many had which status. Answers do not wait for it.
class AccessLog {
 public:
  using Counts = std::map<std::string, std::uint64_t>;
  explicit AccessLog(bool written) {
    if (written) lines_.emplace(1);
  }

  /// A status of HTTP is a number, one of gRPC a name.
  void add(const Access& access) {
    const bool http = access.status.find_first_not_of("0123456789") == std::string::npos;
    {
      const std::scoped_lock lock(mutex_);
      ++(http ? http_ : grpc_)[access.status];
    }
    if (!lines_) return;
    const Json line = {{"time", utc_text("%Y-%m-%dT%H:%M:%SZ")},
                       {"client", shown(access.client)},
                       {"method", shown(access.method, 20)},
                       {"path", shown(access.path, 200)},
                       {"status", http ? Json(std::stoi(access.status)) : Json(access.status)},
                       {"received", access.received},
                       {"sent", access.sent},
                       {"us", std::chrono::duration_cast<std::chrono::microseconds>(access.time).count()}};
    lines_->add(line.dump(-1, ' ', true, Json::error_handler_t::replace));
  }
  /// Lines that were not written, because nobody read those before them.
  std::uint64_t dropped() const { return lines_ ? lines_->dropped() : 0; }
  Counts http() const { return copy(http_); }
  Counts grpc() const { return copy(grpc_); }

 private:
  Counts copy(const Counts& of) const {
    const std::scoped_lock lock(mutex_);
    return of;
  }

  mutable std::mutex mutex_;
  Counts http_, grpc_;
  std::optional<LineWriter> lines_;
};

}  // namespace sinter_serve
