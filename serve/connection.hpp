// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace sinter_serve {

/// What comes from the socket of a client, and goes to it.
class Connection {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Read { some, end, late };

  explicit Connection(int socket) : socket_(socket) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// What has been read, and not been taken.
  std::string_view arrived() const { return {buffer_ + begin_, end_ - begin_}; }
  void take(std::size_t count) { begin_ += count; }
  /// Waits until something has arrived, besides the bytes that are `known`.
  Read read(Clock::time_point until, std::size_t known = 0) {
    if (end_ - begin_ > known) return Read::some;
    if (!wait(POLLIN, until)) return Read::late;
    std::copy(buffer_ + begin_, buffer_ + end_, buffer_);
    end_ -= begin_;
    begin_ = 0;
    const ssize_t count = recv(socket_, buffer_ + end_, sizeof buffer_ - end_, 0);
    end_ += static_cast<std::size_t>(std::max<ssize_t>(0, count));
    return count <= 0 ? Read::end : Read::some;
  }
  /// Returns how many bytes were written: less than all if the client is gone, or does not take them in time.
  std::size_t write(std::string_view text, Clock::time_point until) {
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t count = send(socket_, text.data() + written, text.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0)
        written += static_cast<std::size_t>(count);
      else if ((count < 0 && errno != EAGAIN && errno != EINTR) || !wait(POLLOUT, until))
        break;
    }
    return written;
  }

 private:
  /// False once it is too late. What is wrong with a socket is reported by the call that follows.
  bool wait(short events, Clock::time_point until) const {
    pollfd one{socket_, events, 0};
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
      const int ready = poll(&one, 1, static_cast<int>(std::clamp<long>(left, 0, 100'000'000)));
      if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
      if (ready == 0 && Clock::now() >= until) return false;
    }
  }

  const int socket_;
  std::size_t begin_ = 0, end_ = 0;
  char buffer_[16 << 10];
};

}  // namespace sinter_serve
