// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "grpc_sockets.hpp"

namespace sinter_serve {

/// The calls of each client of gRPC, and the bytes of answers that it has not taken. gRPC's library limits the calls for
/// clients that confirm the limit alone, and bytes not at all. Beyond a limit for all clients together, one is
/// disconnected: of the address with the most calls, or bytes, the connection that has the most.
class GrpcClients {
 public:
  GrpcClients(std::size_t most_calls, std::size_t most_bytes, GrpcSockets& sockets)
      : most_calls_(most_calls), most_bytes_(most_bytes), sockets_(sockets) {}

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
    sockets_.disconnect(leaving->peer);
  }

  const std::size_t most_calls_, most_bytes_;
  GrpcSockets& sockets_;
  std::mutex mutex_;
  All clients_;                        // but those that leave
  std::size_t calls_ = 0, bytes_ = 0;  // of them
};

}  // namespace sinter_serve
