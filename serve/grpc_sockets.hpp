// SPDX-License-Identifier: MIT
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <sinter/core/error.hpp>
#include <string>

#include "address_text.hpp"

namespace sinter_serve {

/// The sockets of gRPC's library, which has no functions for what is done to them here: those of this process at a
/// port. gRPC may close one at any time, and its number may become that of another, so a descriptor of our own holds
/// it; this needs none that is free.
class GrpcSockets {
 public:
  /// `port`: of the server, once it listens.
  explicit GrpcSockets(const int& port)
      : port_(port), files_(opendir("/proc/self/fd")), pinned_(files_ ? fcntl(dirfd(files_), F_DUPFD_CLOEXEC, 0) : -1) {
    if (pinned_ < 0) sinter::internal::fail("gRPC needs /proc/self/fd, which cannot be opened");
  }
  GrpcSockets(const GrpcSockets&) = delete;
  GrpcSockets& operator=(const GrpcSockets&) = delete;
  ~GrpcSockets() {
    ::close(pinned_);
    closedir(files_);
  }

  /// The connection with this peer, as gRPC names it.
  void disconnect(const std::string& peer) {
    const auto is_it = [&](int file) { return is_of_port(file) && peer_of(file) == peer; };
    for_each(is_it, [](int file) {
      const sockaddr nobody{};  // what has arrived is dropped, too
      connect(file, &nobody, sizeof nobody);
    });
  }
  /// No connection is accepted any more.
  void stop_listening() {
    const auto listens = [&](int file) { return is_of_port(file) && is_listening(file); };
    for_each(listens, [](int file) { shutdown(file, SHUT_RDWR); });
  }
  /// Ends the connections whose clients have all that was sent. Returns whether there are others.
  bool end_all() {
    bool others = false;
    const auto is_one = [&](int file) { return is_of_port(file) && !peer_of(file).empty(); };
    for_each(is_one, [&](int file) {
      int unsent = 0;
      if (ioctl(file, SIOCOUTQ, &unsent) == 0 && unsent > 0)
        others = true;
      else
        shutdown(file, SHUT_RDWR);
    });
    return others;
  }

 private:
  template <class Which, class Work>
  void for_each(Which which, Work work) {
    const std::scoped_lock lock(mutex_);
    rewinddir(files_);
    while (const dirent* const entry = readdir(files_)) {
      const int file = std::atoi(entry->d_name);
      if (file == pinned_ || !which(file) || dup3(file, pinned_, O_CLOEXEC) < 0) continue;
      if (which(pinned_)) work(pinned_);
      dup3(dirfd(files_), pinned_, O_CLOEXEC);
    }
  }
  bool is_of_port(int file) const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    return getsockname(file, reinterpret_cast<sockaddr*>(&address), &length) == 0 && port_of(address) == port_;
  }
  static bool is_listening(int file) {
    int listens = 0;
    socklen_t length = sizeof listens;
    return getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0;
  }
  static int port_of(const sockaddr_storage& address) {  // at the same place for both
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  }
  /// As gRPC writes it: ipv4:127.0.0.1:5000, ipv6:%5B::1%5D:5000, or with the number of a network
  /// ipv6:%5Bfe80::1%252%5D:5000.
  static std::string peer_of(int file) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (getpeername(file, reinterpret_cast<sockaddr*>(&address), &length) != 0) return "";
    const std::string text = address_text(address), port = ":" + std::to_string(port_of(address));
    if (text.find(':') == text.npos) return "ipv4:" + text + port;
    const auto number = reinterpret_cast<const sockaddr_in6&>(address).sin6_scope_id;
    const std::string network = number == 0 ? "" : "%25" + std::to_string(number);
    return "ipv6:%5B" + text + network + "%5D" + port;
  }

  const int& port_;
  DIR* const files_;
  const int pinned_;
  std::mutex mutex_;
};

}  // namespace sinter_serve
