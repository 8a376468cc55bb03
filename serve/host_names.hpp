// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http_message.hpp"

namespace sinter_serve {

/// Whether it may be the host of a request: a name or an address, without a scheme or a port.
inline bool is_host_name(std::string_view text) {
  std::string_view characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  if (text.starts_with('[') && text.ends_with(']')) {  // of IPv6
    text = text.substr(1, text.size() - 2);
    characters = "0123456789abcdefABCDEF:.";
  }
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

/// The names by which clients may address this server. A page of a site whose name leads to this machine (DNS rebinding)
/// comes with another one.
class HostNames {
 public:
  /// Any name is right for a server that others reach and that was given no names.
  HostNames(std::vector<std::string> names, const std::string& address, bool is_loopback)
      : any_(names.empty() && !is_loopback), names_(std::move(names)) {
    for (const char* local : {"localhost", "127.0.0.1", "[::1]"}) names_.emplace_back(local);
    names_.push_back(address.find(':') == address.npos ? address : "[" + address + "]");
  }
  /// A host is a name, with or without a port.
  bool has(std::string_view host) const {
    const std::size_t colon = host.rfind(':');
    if (colon != host.npos && host.find_first_not_of("0123456789", colon + 1) == host.npos)
      host = host.substr(0, colon);
    return any_ || std::any_of(names_.begin(), names_.end(), [&](const auto& name) { return same_word(name, host); });
  }

 private:
  const bool any_;
  std::vector<std::string> names_;
};

}  // namespace sinter_serve
