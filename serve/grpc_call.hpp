// SPDX-License-Identifier: MIT
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "access_log.hpp"
#include "body_memory.hpp"
#include "grpc_clients.hpp"
#include "grpc_parts.hpp"
#include "inference.hpp"
#include "inference.pb.h"
#include "models.hpp"

namespace sinter_serve {

inline constexpr std::string_view grpc_service = "/inference.GRPCInferenceService/";

namespace detail {

inline const char* name_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return "OK";
    case grpc::StatusCode::CANCELLED:
      return "CANCELLED";
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case grpc::StatusCode::NOT_FOUND:
      return "NOT_FOUND";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case grpc::StatusCode::UNAVAILABLE:
      return "UNAVAILABLE";
    case grpc::StatusCode::UNAUTHENTICATED:
      return "UNAUTHENTICATED";
    default:
      return "INTERNAL";
  }
}
/// The address in the name of a client, such as ipv4:127.0.0.1:5000, ipv6:%5B::1%5D:5000 or ipv6:%5Bfe80::1%252%5D:5000; as
/// over HTTP, without the number of a network.
inline std::string address_of(std::string_view peer) {
  peer.remove_prefix(peer.find(':') + 1);
  peer = peer.substr(0, peer.rfind(':'));
  if (peer.starts_with("%5B") && peer.ends_with("%5D")) peer = peer.substr(3, peer.size() - 6);
  return std::string(peer.substr(0, peer.find("%25")));
}

}  // namespace detail

inline grpc::Status status_of(grpc::StatusCode code, std::string text) {
  if (text.starts_with("sinter: ")) text.erase(0, 8);
  return {code, shown(text, 1000)};
}
inline grpc::StatusCode code_of(sinter::RequestStatus status) {
  using sinter::RequestStatus;
  switch (status) {
    case RequestStatus::answered:
      return grpc::StatusCode::OK;
    case RequestStatus::queue_full:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case RequestStatus::deadline_exceeded:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case RequestStatus::cancelled:
      return grpc::StatusCode::CANCELLED;
    case RequestStatus::stopped:
      return grpc::StatusCode::UNAVAILABLE;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}
/// What a failure is in gRPC.
inline grpc::Status status_of(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const BadRequest& problem) {
    return status_of(grpc::StatusCode::INVALID_ARGUMENT, problem.what());
  } catch (const UnknownModel& problem) {
    return status_of(grpc::StatusCode::NOT_FOUND, problem.what());
  } catch (const ModelNotRunning& problem) {
    return status_of(grpc::StatusCode::UNAVAILABLE, problem.what());
  } catch (const sinter::RequestError& problem) {
    return status_of(code_of(problem.status), problem.what());
  } catch (const std::exception& problem) {
    return status_of(grpc::StatusCode::INTERNAL, problem.what());
  }
}

class GrpcCall;

/// What answers calls.
class GrpcCalls {
 public:
  GrpcCalls(std::size_t most, std::size_t bytes) : most_numbers(most), memory(bytes) {}
  GrpcCalls(const GrpcCalls&) = delete;
  GrpcCalls& operator=(const GrpcCalls&) = delete;
  virtual ~GrpcCalls() = default;
  const std::size_t most_numbers;         // of a request to any model
  std::atomic<int> taken{0}, waiting{0};  // calls that are not done; of these the ones that wait for a model
  BodyMemory memory;                      // of all messages once they are parsed
  /// Looks at a call before its message is read: not OK refuses it.
  virtual grpc::Status check(const grpc::GenericCallbackServerContext& context) const = 0;
  /// Ends it, now or later.
  virtual void answer(GrpcCall& call) = 0;
};

/// A call with one message and one answer, until gRPC is done with it. Then it is logged, and gives back the memory of an
/// answer. Its cancellation reaches the queue.
class GrpcCall final : public grpc::ServerGenericBidiReactor {
 public:
  GrpcCall(GrpcCalls& calls, AccessLog& log, GrpcClients& clients, const grpc::GenericCallbackServerContext& context)
      : calls_(calls),
        log_(log),
        clients_(clients),
        context_(context),
        client_(clients.begin(context.peer())),
        access_{detail::address_of(client_->peer), "gRPC", shown_path(), "", 0, 0, {}} {
    ++calls.taken;
    if (const grpc::Status status = calls.check(context); !status.ok()) {
      let_go();
      end(status);
    } else {
      StartRead(&bytes_);
    }
  }
  const grpc::GenericCallbackServerContext& context() const { return context_; }
  std::size_t received() const { return access_.received; }
  std::stop_token cancellation() const { return cancelled_.get_token(); }

  /// The message, once. Fails with a BadRequest where it is none.
  template <class Request>
  Request read() {
    grpc::ByteBuffer bytes;
    bytes.Swap(&bytes_);
    grpc::ProtoBufferReader counted(&bytes), read(&bytes);
    const std::size_t most = calls_.most_numbers;
    const GrpcSize size = checked_size(counted, std::is_same_v<Request, inference::ModelInferRequest>, most);
    if (!memory_.emplace(calls_.memory).grow_to(size.memory(most)))
      throw sinter::RequestError(sinter::RequestStatus::queue_full,
                                 "others have large messages just now; send this request again later");
    Request request;
    if (!request.ParseFromZeroCopyStream(&read)) throw BadRequest("the bytes are no message of this protocol");
    return request;
  }
  /// From now on it waits for a model, until its end.
  void wait() {
    waits_ = true;
    ++calls_.waiting;
  }
  template <class Response>
  void end(const Response& response) {
    wait_no_more();
    const std::size_t size = response.ByteSizeLong();
    held_ = size;
    if (!clients_.take(client_, size)) return end(status_of(grpc::StatusCode::CANCELLED, "the client is disconnected"));
    {
      grpc::ProtoBufferWriter writer(&bytes_, 1 << 20, static_cast<int>(size));
      response.SerializeToZeroCopyStream(&writer);
    }
    access_.status = detail::name_of(grpc::StatusCode::OK);
    access_.sent = bytes_.Length();
    StartWriteAndFinish(&bytes_, {}, grpc::Status::OK);
  }
  void end(const grpc::Status& status) {
    wait_no_more();
    access_.status = detail::name_of(status.error_code());
    access_.sent = status.error_message().size();
    Finish(status);
  }

 private:
  void OnReadDone(bool read) override {
    if (!read) return end(status_of(grpc::StatusCode::CANCELLED, "the call ended before its message did"));
    access_.received = bytes_.Length();
    try {
      calls_.answer(*this);
    } catch (...) {
      end(status_of(std::current_exception()));
    }
  }
  void OnCancel() override { cancelled_.request_stop(); }
  void OnDone() override {
    clients_.end(client_, held_);
    let_go();
    const std::string_view cancelled = detail::name_of(grpc::StatusCode::CANCELLED);
    if (context_.IsCancelled() && access_.status == detail::name_of(grpc::StatusCode::OK)) access_.status = cancelled;
    if (context_.IsCancelled() || access_.status == cancelled) access_.sent = 0;  // nobody took the answer
    access_.time = Clock::now() - began_;
    log_.add(access_);
    const bool large = access_.received > (1 << 20);
    delete this;
#if defined(__GLIBC__)
    if (large) malloc_trim(0);  // gRPC takes messages in many small parts, of which a heap is left
#endif
  }

  void wait_no_more() {
    if (std::exchange(waits_, false)) --calls_.waiting;
    memory_.reset();
  }
  void let_go() {
    if (std::exchange(taken_, false)) --calls_.taken;
  }
  /// Of this service the method alone, such as ModelInfer.
  std::string shown_path() const {
    const std::string& path = context_.method();
    return path.starts_with(grpc_service) ? path.substr(grpc_service.size()) : path;
  }

  using Clock = std::chrono::steady_clock;

  GrpcCalls& calls_;
  AccessLog& log_;
  GrpcClients& clients_;
  const grpc::GenericCallbackServerContext& context_;
  const GrpcClients::Shared client_;
  Access access_;
  const Clock::time_point began_ = Clock::now();
  std::stop_source cancelled_;
  grpc::ByteBuffer bytes_;  // of the message, then of the answer
  std::size_t held_ = 0;    // bytes of the answer
  bool taken_ = true, waits_ = false;
  std::optional<BodyMemory::Part> memory_;  // of the message, until it is answered
};

}  // namespace sinter_serve
