// SPDX-License-Identifier: MIT
#pragma once

#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <memory>
#include <new>
#include <sinter/core/error.hpp>
#include <string>
#include <system_error>

#include "address_text.hpp"

namespace sinter_serve {

/// A socket at which clients arrive.
class Listener {
 public:
  /// Fails where it cannot listen. Port 0 is any that is free.
  Listener(const std::string& address, int port) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) == 0) {
      const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, freeaddrinfo);
      for (const addrinfo* one = found; one && socket_ < 0; one = one->ai_next) listen(*one);
    }
    if (socket_ < 0)
      sinter::internal::fail("cannot listen at " + address + ", port " + std::to_string(port) +
                             "; is it taken, or not an address of this machine?");
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(); }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  int port() const { return port_; }
  /// Whether only this machine reaches it.
  bool is_loopback() const { return is_loopback_; }

  /// From now on no others arrive, so that close() resets none of them; those that have come are accepted as before.
  /// TCP lets the others try again, and close() refuses them.
  void let_no_more_in() const {
    sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),           // the flags of a TCP segment
                           BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),        // SYN and ACK
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1),  // SYN alone begins a connection
                           BPF_STMT(BPF_RET | BPF_K, 0),                     // dropped
                           BPF_STMT(BPF_RET | BPF_K, 0xffffffff)};           // taken as it is
    const sock_fprog filter{std::size(rules), rules};
    setsockopt(socket_, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
  }

  struct Arrival {
    int socket = -1;  // or none
    std::string client{};
    bool no_files = false;  // this process may not open another socket, or has no memory for it
  };
  /// Waits for the next client; none may have come.
  Arrival accept(int milliseconds) const {
    pollfd one{socket_, POLLIN, 0};
    if (poll(&one, 1, milliseconds) <= 0) return {};
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    const int client = accept4(socket_, reinterpret_cast<sockaddr*>(&address), &length, SOCK_CLOEXEC);
    if (client < 0) return {.no_files = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM};
    const int yes = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    try {
      return {client, address_text(address)};
    } catch (const std::bad_alloc&) {
      ::close(client);
      return {.no_files = true};
    }
  }

 private:
  void listen(const addrinfo& at) {
    const int one = ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol);
    if (one < 0) return;
    const int yes = 1, no = 0;
    setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (at.ai_family == AF_INET6) setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (bind(one, at.ai_addr, at.ai_addrlen) != 0 || ::listen(one, 1024) != 0 ||
        getsockname(one, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      ::close(one);
      return;
    }
    socket_ = one;
    if (address.ss_family == AF_INET) {
      const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
      port_ = ntohs(ipv4.sin_port);
      is_loopback_ = ntohl(ipv4.sin_addr.s_addr) >> 24 == 127;
    } else {
      const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
      port_ = ntohs(ipv6.sin6_port);
      const auto& bytes = ipv6.sin6_addr.s6_addr;
      is_loopback_ =
          IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr) || (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr) && bytes[12] == 127);
    }
  }

  int socket_ = -1, port_ = 0;
  bool is_loopback_ = false;
};

}  // namespace sinter_serve
