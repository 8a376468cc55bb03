// SPDX-License-Identifier: MIT
#pragma once

#include <strings.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sinter/core/error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access_log.hpp"
#include "body_memory.hpp"
#include "utc_text.hpp"

/// Requests and answers of HTTP/1.1 (RFC 9110, RFC 9112).
namespace sinter_serve {

/// Whether two words of HTTP are the same, whatever their case.
inline bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}
/// The words of a list between commas, such as "gzip;q=0.5, br".
inline std::vector<std::string_view> list_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? text.size() : end + 1)) {
    end = text.find(',');
    words.push_back(trimmed(text.substr(0, end)));
  }
  return words;
}

struct HttpHeaders {
  std::vector<std::pair<std::string, std::string>> all{};

  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const auto& one) { return same_word(one.first, name); }));
  }
  bool has(std::string_view name) const { return count(name) != 0; }
  /// The first value of a name, or nothing.
  std::string_view operator[](std::string_view name) const {
    for (const auto& [known, value] : all)
      if (same_word(known, name)) return value;
    return {};
  }
  void add(std::string name, std::string value) { all.emplace_back(std::move(name), std::move(value)); }
};

/// A request that is answered by an error, after which its connection is closed.
struct HttpError : sinter::Error {
  int status;
  HttpHeaders headers;
  HttpError(int answer, const std::string& text, HttpHeaders more = {})
      : Error(text), status(answer), headers(std::move(more)) {}
};

struct HttpRequest {
  std::string method{}, path{};
  std::string host{};  // that it is for: of its target, or its header Host
  int minor = 1;       // of HTTP/1.x
  HttpHeaders headers{};
  std::string body{};  // without chunks and compression

  bool is_health() const {
    return (method == "GET" || method == "HEAD") && (path == "/v2/health/live" || path == "/v2/health/ready");
  }
};

struct HttpResponse {
  int status = 200;
  std::string body{}, type = "application/json";
  HttpHeaders headers{};
  bool closes = false;                         // the connection, after it
  std::shared_ptr<BodyMemory::Part> memory{};  // of its body, where that may be large
};

inline HttpResponse json_response(const Json& body) {
  return {.body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}
inline HttpResponse error_response(int status, std::string_view text) {
  if (text.starts_with("sinter: ")) text.remove_prefix(8);
  HttpResponse response = json_response({{"error", text}});
  response.status = status;
  return response;
}

inline const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

/// The bytes of an answer before its body.
inline std::string head_of(const HttpResponse& response, long idle_seconds) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " + reason_of(response.status) + "\r\n";
  head += "Date: " + utc_text("%a, %d %b %Y %H:%M:%S GMT") + "\r\n";
  for (const auto& [name, value] : response.headers.all) head += name + ": " + value + "\r\n";
  head += "Content-Type: " + response.type + "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  return head + (response.closes
                     ? "Connection: close\r\n\r\n"
                     : "Connection: keep-alive\r\nKeep-Alive: timeout=" + std::to_string(idle_seconds) + "\r\n\r\n");
}

}  // namespace sinter_serve
