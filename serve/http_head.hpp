// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "access_log.hpp"
#include "http_message.hpp"
#include "limits.hpp"

namespace sinter_serve {

/// Whether it is a control character other than a tab.
inline bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

/// Takes the head of a request as it arrives: its lines, and the empty one that ends them.
class HttpHead {
 public:
  explicit HttpHead(const Limits& limits) : most_(limits.header), most_of_target_(limits.target) {}

  bool done() const { return ended_ == 4; }
  const std::string& text() const { return text_; }
  /// Returns how many of these bytes belong to the head. Fails with an HttpError where it can be none.
  std::size_t take(std::string_view bytes) {
    std::size_t count = 0;
    while (count < bytes.size() && !done()) take(bytes[count++]);
    return count;
  }

 private:
  void take(char c) {
    const bool after_return = ended_ % 2 == 1;
    if ((c == '\n') != after_return) throw HttpError(400, "a line of the header does not end in \\r\\n");
    if (is_control(c) && c != '\r' && c != '\n') throw HttpError(400, "the header has a control character");
    text_ += c;
    ended_ = c == '\r' || c == '\n' ? ended_ + 1 : 0;
    if (c == ' ' || c == '\n') part_ = c == ' ' && part_ == Part::method ? Part::target : Part::others;
    if (c != ' ') ++in_part_[static_cast<std::size_t>(part_)];
    if (in_part_[0] > most_of_method)
      throw HttpError(405,
                      "the method has more than " + std::to_string(most_of_method) + " bytes, expected GET or POST",
                      {{{"Allow", "GET, HEAD, POST"}}});
    if (in_part_[1] > most_of_target_)
      throw HttpError(414, "the target of the request has more than the " + std::to_string(most_of_target_) +
                               " bytes that this server takes");
    if (text_.size() > most_)
      throw HttpError(431, "the header has more than the " + std::to_string(most_) + " bytes that this server takes");
  }

  static constexpr std::size_t most_of_method = 32;
  enum class Part { method, target, others };

  const std::size_t most_, most_of_target_;
  std::string text_;
  int ended_ = 0;  // of the 4 characters that end it
  Part part_ = Part::method;
  std::size_t in_part_[3] = {};  // bytes
};

namespace detail {

/// Whether it is a token (RFC 9110, 5.6.2): a method, or the name of a header.
inline bool is_token(std::string_view text) {
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && (c == '\0' || !std::strchr("!#$%&'*+-.^_`|~", c))) return false;
  return !text.empty();
}
/// The method in the start of a head, or nothing where it has none.
inline std::string_view method_of(std::string_view head) {
  const std::string_view word = head.substr(0, head.find(' '));
  return word.size() < head.size() && is_token(word) ? word : std::string_view();
}
/// NAME: VALUE without the spaces around the value. Fails with an HttpError if it is something else.
inline std::pair<std::string_view, std::string_view> header_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)))
    throw HttpError(400, "a line of the header is not NAME: VALUE");
  return {line.substr(0, colon), trimmed(line.substr(colon + 1))};
}
/// Sets the path, and the host where the target names it: /v2, or http://host/v2.
inline void set_target(HttpRequest& request, std::string_view target) {
  if (target.find('\t') != target.npos) throw HttpError(400, "the target of the request has a tab");
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_word(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    request.host = target.substr(0, end);
    if (request.host.empty()) throw HttpError(400, "the target of the request names no host");
    target.remove_prefix(end);
    if (!target.starts_with('/')) target = "/";
    break;
  }
  if (!target.starts_with('/'))
    throw HttpError(400, "the target of the request is " + shown(target) + ", expected a path");
  request.path = target.substr(0, target.find_first_of("?#"));
}
inline void set_first_line(HttpRequest& request, std::string_view line) {
  const std::size_t first = line.find(' '), second = line.find(' ', first == line.npos ? first : first + 1);
  if (second == line.npos || line.find(' ', second + 1) != line.npos || !is_token(line.substr(0, first)))
    throw HttpError(400, "the first line is " + shown(line, 40) + ", expected METHOD TARGET HTTP/1.1");
  request.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1), version = line.substr(second + 1);
  const bool is_known = version == "HTTP/1.1" || version == "HTTP/1.0";
  if (is_known || target != "*") set_target(request, target);  // HTTP/2 begins with PRI * HTTP/2.0
  if (!is_known)
    throw HttpError(version.starts_with("HTTP/") ? 505 : 400,
                    "the version is " + shown(version, 20) + ", expected HTTP/1.1");
  request.minor = version.back() - '0';
}
inline void set_host(HttpRequest& request) {
  const std::size_t hosts = request.headers.count("Host");
  if (hosts > 1 || (hosts == 0 && request.minor == 1))
    throw HttpError(400, "the request has " + std::to_string(hosts) + " headers Host, expected one");
  if (request.host.empty()) request.host = request.headers["Host"];
}
/// A proxy may look at another one than this server.
inline void refuse_repeated(const HttpRequest& request) {
  for (const char* name : {"Authorization", "Content-Type", "Expect", "Inference-Header-Content-Length", "Origin"})
    if (const std::size_t count = request.headers.count(name); count > 1)
      throw HttpError(400, "the request has " + std::to_string(count) + " headers " + name + ", expected one at most");
}

}  // namespace detail

/// Reads a whole head into a request, which has what came before the mistake where it fails with an HttpError.
inline void parse_head(std::string_view text, HttpRequest& request) {
  bool first = true;
  for (std::size_t end; (end = text.find("\r\n")) != text.npos && end != 0; text.remove_prefix(end + 2)) {
    const std::string_view line = text.substr(0, end);
    if (std::exchange(first, false)) {
      detail::set_first_line(request, line);
    } else {
      const auto [name, value] = detail::header_of(line);
      request.headers.add(std::string(name), std::string(value));
    }
  }
  detail::set_host(request);
  detail::refuse_repeated(request);
}

}  // namespace sinter_serve
