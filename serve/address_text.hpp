// SPDX-License-Identifier: MIT
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace sinter_serve {

/// An address without its port, such as 127.0.0.1 or ::1; that of an IPv4 client of an IPv6 socket as IPv4. Empty for
/// other kinds.
inline std::string address_text(const sockaddr_storage& address) {
  const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET)
    inet_ntop(AF_INET, &ipv4.sin_addr, text, sizeof text);
  else if (address.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&ipv6))
    inet_ntop(AF_INET, &ipv6.s6_addr[12], text, sizeof text);
  else if (address.ss_family == AF_INET6)
    inet_ntop(AF_INET6, &ipv6, text, sizeof text);
  return text;
}

}  // namespace sinter_serve
