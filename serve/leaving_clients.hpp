// SPDX-License-Identifier: MIT
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace sinter_serve {

/// The sockets of connections that the server has ended. To close one while its client sends would discard the answer
/// that is on its way. So what still comes is read and dropped, in one thread, until the client closes: 64 MB at most,
/// and for a time. Where these are too many, the oldest is closed.
class LeavingClients {
 public:
  using Clock = std::chrono::steady_clock;

  LeavingClients() {
    all_.reserve(most);
    thread_ = std::thread([this] { run(); });
  }
  LeavingClients(const LeavingClients&) = delete;
  LeavingClients& operator=(const LeavingClients&) = delete;
  /// Waits for those that are left.
  ~LeavingClients() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  /// Nothing more is sent to this socket, which is closed. Does not wait.
  void take(int socket, Clock::duration time) {
    shutdown(socket, SHUT_WR);
    const std::scoped_lock lock(mutex_);
    if (all_.size() == most) close(0);
    all_.push_back({socket, Clock::now() + time});
    wake_.notify_one();
  }
  /// False if there is none.
  bool close_oldest() {
    const std::scoped_lock lock(mutex_);
    if (all_.empty()) return false;
    close(0);
    return true;
  }

 private:
  static constexpr std::size_t most = 128, most_bytes = 64 << 20;
  struct One {
    int socket;
    Clock::time_point until;
    std::size_t dropped = 0;  // bytes
    bool deaf = false;        // nothing more is to be read: the client has closed, or shutdown() has ended the reading
  };

  void run() {
    std::array<pollfd, most> sockets;
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [&] { return !all_.empty() || ended_; });
      if (all_.empty()) return;
      const std::size_t count = all_.size();
      for (std::size_t i = 0; i < count; ++i) sockets[i] = {all_[i].deaf ? -1 : all_[i].socket, POLLIN, 0};
      lock.unlock();
      poll(sockets.data(), count, 10);  // another one that comes is seen after this time
      lock.lock();
      for (std::size_t i = all_.size(); i-- > 0;)
        if (has_left(all_[i])) close(i);
    }
  }
  bool has_left(One& one) {
    for (int i = 0; i < 16; ++i) {
      const ssize_t count = recv(one.socket, buffer_, sizeof buffer_, MSG_DONTWAIT);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return true;
      one.deaf = count == 0;
      if (count <= 0) break;
      one.dropped += static_cast<std::size_t>(count);
    }
    return (one.deaf && has_closed(one.socket)) || one.dropped >= most_bytes || Clock::now() >= one.until;
  }
  static bool has_closed(int socket) {
    tcp_info info{};
    socklen_t length = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
           (info.tcpi_state != TCP_FIN_WAIT1 && info.tcpi_state != TCP_FIN_WAIT2);
  }
  void close(std::size_t i) {
    ::close(all_[i].socket);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<One> all_;  // the oldest first
  bool ended_ = false;
  char buffer_[16 << 10];
  std::thread thread_;  // last: it uses the others
};

}  // namespace sinter_serve
