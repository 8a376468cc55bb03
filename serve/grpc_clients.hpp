// SPDX-License-Identifier: MIT
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace sinter_serve {

/// The calls of each client of gRPC. Its library limits them for clients that confirm the limit alone. Beyond a limit for
/// all clients together, the one with the most calls is disconnected.
class GrpcClients {
 public:
  explicit GrpcClients(std::size_t most) : most_(most) {}

  /// A client begins a call. `peer`: as gRPC names it.
  void begin(const std::string& peer) {
    const std::scoped_lock lock(mutex_);
    Client& client = clients_[peer];
    ++client.calls;
    if (client.leaves || ++all_ <= most_) return;
    const auto fewer = [](const auto& a, const auto& b) {
      return a.second.leaves == b.second.leaves ? a.second.calls < b.second.calls : a.second.leaves;
    };
    auto& [name, busiest] = *std::max_element(clients_.begin(), clients_.end(), fewer);
    busiest.leaves = true;
    all_ -= busiest.calls;
    disconnect(name);
  }
  void end(const std::string& peer) {
    const std::scoped_lock lock(mutex_);
    const auto found = clients_.find(peer);
    if (!found->second.leaves) --all_;
    if (--found->second.calls == 0) clients_.erase(found);
  }

 private:
  struct Client {
    std::size_t calls = 0;
    bool leaves = false;  // disconnected, so that its calls end
  };
  /// gRPC has no function for it. Its socket is the one with this peer.
  static void disconnect(const std::string& peer) {
    for (int file = 0, closed = 0; closed < 1000; ++file) {
      closed = fcntl(file, F_GETFD) < 0 ? closed + 1 : 0;
      if (closed > 0 || peer_of(file) != peer) continue;
      const sockaddr nobody{};  // what has arrived is dropped, too
      connect(file, &nobody, sizeof nobody);
    }
  }
  /// As gRPC writes it: ipv4:127.0.0.1:5000 or ipv6:%5B::1%5D:5000.
  static std::string peer_of(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    char host[INET6_ADDRSTRLEN + 32], port[16];
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (getpeername(socket, any, &length) != 0 || (any->sa_family != AF_INET && any->sa_family != AF_INET6) ||
        getnameinfo(any, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
      return {};
    const std::string text = host, mapped = "::ffff:";
    if (any->sa_family == AF_INET) return "ipv4:" + text + ":" + port;
    if (text.starts_with(mapped)) return "ipv4:" + text.substr(mapped.size()) + ":" + port;
    return "ipv6:%5B" + text + "%5D:" + port;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::map<std::string, Client> clients_;
  std::size_t all_ = 0;  // calls of those that do not leave
};

}  // namespace sinter_serve
