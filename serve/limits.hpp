// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>

namespace sinter_serve {

/// Limits of what clients may use.
struct Limits {
  std::size_t header = 16 << 10, body = 16 << 20;  // bytes
  std::size_t target = 1024;                       // bytes of what follows the method
  int connections = 128;
  std::chrono::seconds request{10};  // to send a request, and to take its answer
  std::chrono::seconds idle{60};     // between the requests of a connection

  /// Over gRPC, of all connections together.
  std::size_t calls() const { return 16 * static_cast<std::size_t>(connections); }
  /// Bytes of all bodies in total.
  std::size_t bodies() const { return (std::size_t{64} << 20) + 4 * body; }
};

}  // namespace sinter_serve
