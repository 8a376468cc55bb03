// SPDX-License-Identifier: MIT
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace sinter_serve {

/// A client that is connected.
struct Client {
  using Clock = std::chrono::steady_clock;

  int socket;
  std::string address;
  bool crowded;               // beyond the limit: only its questions for the health are answered
  bool idle = false;          // its thread waits, and nothing of a request has come
  bool closing = false;       // after the answer to what has come
  Clock::time_point since{};  // that it is idle, or busy
};

/// The clients that are connected, up to a limit. When another one comes, that which is idle for the longest is let go;
/// where none is, it is one of a few that are crowded. Of these the oldest gives way, idle or not.
class Clients {
 public:
  explicit Clients(int most) : most_(static_cast<std::size_t>(most)) {}

  /// Null if there is no place. The socket of a client is open until remove(client).
  Client* add(int socket, const std::string& address) {
    const std::scoped_lock lock(mutex_);
    const bool crowded = !has_place(false, most_);
    if (crowded && !has_place(true, most_crowded)) return nullptr;
    return &clients_.emplace_back(
        Client{.socket = socket, .address = address, .crowded = crowded, .since = Client::Clock::now()});
  }
  void remove(Client& client) {
    const std::scoped_lock lock(mutex_);
    clients_.remove_if([&](const Client& one) { return &one == &client; });
  }
  void set_idle(Client& client, bool idle) {
    const std::scoped_lock lock(mutex_);
    client.idle = idle;
    client.since = Client::Clock::now();
    if (idle && closing_) let_go(client);
  }
  bool is_closing(const Client& client) const {
    const std::scoped_lock lock(mutex_);
    return client.closing;
  }
  /// Lets go the one that is idle for the longest, if there is one.
  bool close_idle() {
    const std::scoped_lock lock(mutex_);
    return close_idle(false);
  }
  /// Lets go all that are idle, and those that become idle.
  void close() {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    for (Client& client : clients_)
      if (client.idle) let_go(client);
  }

 private:
  static constexpr std::size_t most_crowded = 16, most_closing = 64;

  template <class Which>
  std::size_t count(Which which) const {
    return static_cast<std::size_t>(std::count_if(clients_.begin(), clients_.end(), which));
  }
  bool has_place(bool crowded, std::size_t most) {
    return count([&](const Client& one) { return one.crowded == crowded && !one.closing; }) < most ||
           close_idle(crowded);
  }
  bool close_idle(bool crowded) {
    const auto until = Client::Clock::now() - std::chrono::milliseconds(20);  // else it may be about to send the next
    Client* found = nullptr;
    for (Client& one : clients_)
      if (one.crowded == crowded && (one.idle || crowded) && !one.closing && one.since < (found ? found->since : until))
        found = &one;
    if (!found || count([](const Client& one) { return one.closing; }) >= most_closing) return false;
    let_go(*found);
    return true;
  }
  /// Its thread wakes up at the end of what it reads, unless a request has begun to arrive, which is answered.
  static void let_go(Client& client) {
    client.closing = true;
    char first;
    if (!client.idle || recv(client.socket, &first, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) shutdown(client.socket, SHUT_RD);
  }

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::list<Client> clients_;
  bool closing_ = false;
};

}  // namespace sinter_serve
