// SPDX-License-Identifier: MIT
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <sinter/core/error.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "address_text.hpp"

namespace sinter_serve {

/// The calls of each client of gRPC, and the bytes of answers that it has not taken. gRPC's library limits the calls for
/// clients that confirm the limit alone, and bytes not at all. Beyond a limit for all clients together, one is
/// disconnected: of the address with the most calls, or bytes, the connection that has the most.
class GrpcClients {
 public:
  /// `port`: of the server, once it listens.
  GrpcClients(std::size_t most_calls, std::size_t most_bytes, const int& port)
      : most_calls_(most_calls),
        most_bytes_(most_bytes),
        port_(port),
        files_(opendir("/proc/self/fd")),
        pinned_(files_ ? fcntl(dirfd(files_), F_DUPFD_CLOEXEC, 0) : -1) {
    if (pinned_ < 0) sinter::internal::fail("gRPC needs /proc/self/fd, which cannot be opened");
  }
  GrpcClients(const GrpcClients&) = delete;
  GrpcClients& operator=(const GrpcClients&) = delete;
  ~GrpcClients() {
    ::close(pinned_);
    closedir(files_);
  }

  /// A connection, as long as it has calls.
  struct Client {
    const std::string peer;  // as gRPC names it
    std::size_t calls = 0, bytes = 0;
    bool leaves = false;  // disconnected, so that its calls end
  };
  using Shared = std::shared_ptr<Client>;

  /// A client begins a call, which it gives back.
  Shared begin(const std::string& peer) {
    const std::scoped_lock lock(mutex_);
    Shared& known = clients_[peer];
    if (!known) known = std::make_shared<Client>(Client{.peer = peer});
    const Shared client = known;
    ++client->calls;
    if (++calls_ > most_calls_) disconnect_one(&Client::calls);
    return client;
  }
  /// An answer to a call takes these bytes until the end of the call. False if its client is disconnected.
  bool take(const Shared& client, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (client->leaves) return false;
    client->bytes += bytes;
    bytes_ += bytes;
    if (bytes_ > most_bytes_) disconnect_one(&Client::bytes);
    return !client->leaves;
  }
  /// A call ends, with the bytes that its answer took.
  void end(const Shared& client, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (client->leaves) return;
    --calls_;
    bytes_ -= bytes;
    client->bytes -= bytes;
    if (--client->calls == 0) clients_.erase(client->peer);
  }

 private:
  using All = std::map<std::string, Shared, std::less<>>;

  /// That has the most calls or bytes.
  void disconnect_one(std::size_t Client::* what) {
    std::map<std::string_view, std::size_t> all;
    const auto of_address = [&](const auto& one) -> std::size_t& {
      const std::string_view peer = one.first;
      return all[peer.substr(0, peer.rfind(':'))];
    };
    for (const auto& one : clients_) of_address(one) += *one.second.*what;
    const auto found = std::max_element(clients_.begin(), clients_.end(), [&](const auto& a, const auto& b) {
      return std::pair(of_address(a), *a.second.*what) < std::pair(of_address(b), *b.second.*what);
    });
    const Shared leaving = found->second;
    leaving->leaves = true;
    calls_ -= leaving->calls;
    bytes_ -= leaving->bytes;
    clients_.erase(found);  // who comes by the same address and port is another one
    disconnect(leaving->peer);
  }
  /// gRPC has no function for it. Its socket is the one with this peer and this port. gRPC may close it at any time, and
  /// its number may become that of another, so a descriptor of our own holds it; this needs none that is free.
  void disconnect(const std::string& peer) const {
    rewinddir(files_);
    while (const dirent* const entry = readdir(files_)) {
      const int file = std::atoi(entry->d_name);
      if (!is_of(file, peer) || dup3(file, pinned_, O_CLOEXEC) < 0) continue;
      const sockaddr nobody{};  // what has arrived is dropped, too
      if (is_of(pinned_, peer)) connect(pinned_, &nobody, sizeof nobody);
      dup3(dirfd(files_), pinned_, O_CLOEXEC);
    }
  }
  bool is_of(int file, const std::string& peer) const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (getpeername(file, any, &length) != 0 || name_of(address) != peer) return false;
    length = sizeof address;
    return getsockname(file, any, &length) == 0 && port_of(address) == port_;
  }
  static int port_of(const sockaddr_storage& address) {  // at the same place for both
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  }
  /// As gRPC writes it: ipv4:127.0.0.1:5000, ipv6:%5B::1%5D:5000, or with the number of a network ipv6:%5Bfe80::1%252%5D:5000.
  static std::string name_of(const sockaddr_storage& address) {
    const std::string text = address_text(address), port = ":" + std::to_string(port_of(address));
    if (text.find(':') == text.npos) return "ipv4:" + text + port;
    const auto number = reinterpret_cast<const sockaddr_in6&>(address).sin6_scope_id;
    const std::string network = number == 0 ? "" : "%25" + std::to_string(number);
    return "ipv6:%5B" + text + network + "%5D" + port;
  }

  const std::size_t most_calls_, most_bytes_;
  const int& port_;
  DIR* const files_;
  const int pinned_;
  std::mutex mutex_;
  All clients_;                        // but those that leave
  std::size_t calls_ = 0, bytes_ = 0;  // of them
};

}  // namespace sinter_serve
