// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "access_log.hpp"
#include "limits.hpp"
#include "models.hpp"

namespace sinter_serve {

/// The service of the Open Inference Protocol over gRPC.
class GrpcServer {
 public:
  /// Listens; fails where it cannot. Port 0 is any that is free. An empty token lets everyone in.
  GrpcServer(Models& models, AccessLog& log, const std::string& token, const Limits& limits, const std::string& address,
             int port);
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;
  ~GrpcServer();
  int port() const;
  /// Takes no more requests, and returns when those that have come are answered.
  void drain();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sinter_serve
