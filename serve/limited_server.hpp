// SPDX-License-Identifier: MIT
#pragma once

#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "limits.hpp"

namespace sinter_serve {

/// The socket of a connection, which reads no more bytes of a request than the limits allow, and not after the time
/// limit.
class LimitedStream : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;
  LimitedStream(int socket, const Limits& limits) : socket_(socket), limits_(limits) {}

  /// Waits for the next request. False if none comes, or `stopping` is set first.
  bool wait_for_request(const std::atomic<bool>& stopping) {
    exceeded_ = nullptr;
    received_ = header_ = 0;
    in_name_ = false;
    ended_ = 0;
    const auto until = Clock::now() + limits_.idle;
    while (begin_ == end_) {
      if (stopping || Clock::now() >= until) return false;
      const int ready = wait(POLLIN, std::min(until, Clock::now() + std::chrono::milliseconds(100)));
      if (ready < 0 || (ready > 0 && !fill())) return false;
    }
    deadline_ = Clock::now() + limits_.request;
    return true;
  }
  /// The status line if a limit was exceeded, or null.
  const char* exceeded() const { return exceeded_; }
  /// Sends an answer that httplib does not send.
  void refuse(const std::string& status, const std::string& error) {
    exceeded_ = nullptr;
    const std::string body = "{\"error\":\"" + error + "\"}";
    write_all("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  bool is_readable() const override { return begin_ != end_ || wait(POLLIN, deadline_) > 0; }
  bool is_writable() const override { return !exceeded_ && wait(POLLOUT, Clock::now() + limits_.request) > 0; }
  ssize_t read(char* to, std::size_t size) override {
    if (exceeded_) return -1;
    if (!flush()) return -1;
    if (begin_ == end_ && (wait(POLLIN, deadline_) <= 0 || !fill())) {
      if (Clock::now() >= deadline_) exceeded_ = "408 Request Timeout";
      return -1;
    }
    std::size_t count = std::min(size, end_ - begin_);
    for (std::size_t i = 0; i < count; ++i)
      if (ended_ < 4 && !in_header(buffer_[begin_ + i])) return -1;
    received_ += count;
    if (received_ - header_ > limits_.body + 4096) {  // what chunks add
      exceeded_ = "413 Payload Too Large";
      return -1;
    }
    std::memcpy(to, buffer_ + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }
  /// Kept until flush(), so that the head and the body of an answer leave together.
  ssize_t write(const char* from, std::size_t size) override {
    if (exceeded_) return -1;
    constexpr std::size_t kept = 16 << 10;
    if (pending_.size() + size > kept && !flush()) return -1;
    if (size > kept) return write_all({from, size}) ? static_cast<ssize_t>(size) : -1;
    pending_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  bool flush() {
    const bool written = pending_.empty() || write_all(pending_);
    pending_.clear();
    return written;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    if (remote_.port < 0) remote_ = name(getpeername);
    ip = remote_.ip, port = remote_.port;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    if (local_.port < 0) local_ = name(getsockname);
    ip = local_.ip, port = local_.port;
  }
  socket_t socket() const override { return socket_; }

 private:
  int wait(short events, Clock::time_point until) const {
    pollfd one{socket_, events, 0};
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
      const int ready = poll(&one, 1, static_cast<int>(std::max<long>(0, static_cast<long>(left))));
      if (ready >= 0 || errno != EINTR) return ready;
    }
  }
  bool fill() {
    const ssize_t count = recv(socket_, buffer_, sizeof buffer_, 0);
    if (count <= 0) return false;
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    return true;
  }
  /// Takes a byte of the header, which ends in \r\n\r\n. False beyond the limit, and where a line is not NAME: VALUE:
  /// httplib would pass it over, and a proxy might not.
  bool in_header(char c) {
    ++header_;
    if (header_ > limits_.header) return refuses("431 Request Header Fields Too Large");
    const bool ends_line = c == '\r' && (ended_ == 0 || ended_ == 2);
    if (ended_ == 2 && !ends_line) in_name_ = true;
    const bool bare = c == '\n' && ended_ % 2 == 0;
    if (c == '\0' || bare || (in_name_ && !is_token(c) && c != ':')) return refuses("400 Bad Request");
    if (c == ':') in_name_ = false;
    ended_ = c == (ended_ % 2 == 0 ? '\r' : '\n') ? ended_ + 1 : c == '\r';
    return true;
  }
  bool refuses(const char* status) {
    exceeded_ = status;
    return false;
  }
  /// Whether a character may be in the name of a header (RFC 9110, 5.6.2).
  static bool is_token(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c));
  }
  bool write_all(std::string_view text) {
    const auto until = Clock::now() + limits_.request;
    while (!text.empty()) {
      const ssize_t count = send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (count > 0)
        text.remove_prefix(static_cast<std::size_t>(count));
      else if (wait(POLLOUT, until) <= 0)
        return false;
    }
    return true;
  }
  struct Name {
    std::string ip;
    int port = -1;
  };
  Name name(int (*of)(int, sockaddr*, socklen_t*)) const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    char host[NI_MAXHOST] = "", service[NI_MAXSERV] = "0";
    if (of(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0)
      getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host, sizeof host, service, sizeof service,
                  NI_NUMERICHOST | NI_NUMERICSERV);
    return {host, std::atoi(service)};
  }

  int socket_;
  const Limits& limits_;
  const char* exceeded_ = nullptr;
  std::size_t received_ = 0, header_ = 0, begin_ = 0, end_ = 0;
  int ended_ = 0;         // of the 4 characters that end a header
  bool in_name_ = false;  // of a line of the header
  Clock::time_point deadline_{};
  mutable Name remote_, local_;
  std::string pending_;
  char buffer_[16 << 10];
};

/// cpp-httplib's server with further limits: on whole headers, on the time of a whole request, and on connections. It
/// closes idle connections when it stops.
class LimitedServer : public httplib::Server {
 public:
  explicit LimitedServer(const Limits& limits) : limits_(limits) {
    set_payload_max_length(limits.body);
    set_keep_alive_timeout(limits.idle.count());  // these two are only what answers say
    set_keep_alive_max_count(1000000);
    set_tcp_nodelay(true);
    // httplib's own let another server take requests at the same port.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // A few more threads than connections, to refuse those that are too many.
    new_task_queue = [this] { return new httplib::ThreadPool(static_cast<std::size_t>(limits_.connections) + 4); };
  }
  /// Takes connections at an address, whose port is set if it is 0. False if it cannot.
  bool bind(const std::string& address, int& port) {
    if (port == 0)
      port = bind_to_any_port(address);
    else if (!bind_to_port(address, port))
      port = -1;
    return port > 0 && ::listen(svr_sock_, 1024) == 0;  // httplib has only 5 of them wait
  }
  /// For a handler: the connection is closed after its answer.
  static bool& closes_connection() {
    static thread_local bool closes = false;
    return closes;
  }
  void drain() {
    draining_ = true;
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    LimitedStream stream(socket, limits_);
    if (++connections_ > limits_.connections) {
      stream.refuse("503 Service Unavailable", "too many connections");
    } else {
      bool closed = false, right = true;
      while (right && !closed && stream.wait_for_request(draining_)) {
        closes_connection() = false;
        right = process_request(stream, draining_, closed, nullptr) && stream.flush();
        closed = closed || closes_connection() || draining_;
        if (const char* status = stream.exceeded()) {
          stream.flush();
          stream.refuse(status, std::string_view(status).starts_with("400")
                                    ? "a line of the header is not NAME: VALUE"
                                    : std::string(status + 4) + ": beyond the limits of this server");
          right = false;
        }
      }
    }
    --connections_;
    // Reads what a client still sends for a moment: closing at once would discard the answer.
    shutdown(socket, SHUT_WR);
    char rest[4096];
    pollfd one{socket, POLLIN, 0};
    for (int i = 0; i < 64 && poll(&one, 1, 20) > 0 && recv(socket, rest, sizeof rest, MSG_DONTWAIT) > 0; ++i) {
    }
    ::close(socket);
    return true;
  }

  const Limits limits_;
  std::atomic<int> connections_{0};
  std::atomic<bool> draining_{false};
};

}  // namespace sinter_serve
