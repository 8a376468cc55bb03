// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

#include "access_log.hpp"
#include "http_head.hpp"
#include "http_message.hpp"

namespace sinter_serve {

/// Takes a body in chunks (RFC 9112, 7.1) as it arrives. Extensions of chunks, and headers after the last one, are read
/// and dropped.
class Chunks {
 public:
  bool done() const { return state_ == State::done; }
  /// Returns how many of these bytes belong to the body, and calls take(part) for its parts. Fails with an HttpError where
  /// they are no chunks.
  template <class Take>
  std::size_t add(std::string_view bytes, Take take) {
    std::size_t count = 0;
    while (count < bytes.size() && !done()) {
      if (state_ != State::data) {
        add(bytes[count++]);
        continue;
      }
      const std::size_t part = std::min(left_, bytes.size() - count);
      take(bytes.substr(count, part));
      count += part;
      left_ -= part;
      if (left_ == 0) state_ = State::after_data;
    }
    return count;
  }

 private:
  enum class State { size, data, after_data, trailer, done };

  void add(char c) {
    if ((c == '\n') != returned_) throw HttpError(400, "a line of the chunks does not end in \\r\\n");
    returned_ = c == '\r';
    if (c == '\n') return end_line();
    if (returned_) return;
    if (is_control(c)) throw HttpError(400, "a line of the chunks has a control character");
    line_ += c;
    if (line_.size() > 1000) throw HttpError(400, "a line of the chunks is longer than 1000 bytes");
  }
  void end_line() {
    if (state_ == State::size) {
      left_ = size_of(line_);
      state_ = left_ == 0 ? State::trailer : State::data;
    } else if (state_ == State::after_data) {
      if (!line_.empty()) throw HttpError(400, "a chunk is longer than its size");
      state_ = State::size;
    } else if (line_.empty()) {
      state_ = State::done;
    } else {
      detail::header_of(line_);
    }
    line_.clear();
  }
  static std::size_t size_of(std::string_view line) {
    std::string_view digits = line.substr(0, line.find(';'));
    digits = digits.substr(0, digits.find_last_not_of(" \t") + 1);
    if (digits.empty() || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)
      throw HttpError(400, "the size of a chunk is \"" + shown(line, 20) + "\", expected a hexadecimal number");
    if (digits.size() > 12) throw HttpError(413, "a chunk has more bytes than this server takes");
    std::size_t size = 0;
    for (const char c : digits) {
      const bool decimal = c >= '0' && c <= '9';
      size = size * 16 +
             static_cast<std::size_t>(decimal ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10);
    }
    return size;
  }

  State state_ = State::size;
  std::size_t left_ = 0;  // of a chunk
  std::string line_;
  bool returned_ = false;  // the last character was \r
};

}  // namespace sinter_serve
