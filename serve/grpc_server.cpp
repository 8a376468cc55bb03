// SPDX-License-Identifier: MIT
#include "grpc_server.hpp"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <span>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "grpc_description.hpp"
#include "grpc_request.hpp"
#include "inference.grpc.pb.h"
#include "submit.hpp"
#include "token.hpp"

namespace sinter_serve {

namespace {

using Clock = std::chrono::steady_clock;
using Context = grpc::CallbackServerContext;
using grpc::StatusCode;

const char* name_of(StatusCode code) {
  switch (code) {
    case StatusCode::OK:
      return "OK";
    case StatusCode::CANCELLED:
      return "CANCELLED";
    case StatusCode::INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case StatusCode::DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case StatusCode::NOT_FOUND:
      return "NOT_FOUND";
    case StatusCode::RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case StatusCode::UNAVAILABLE:
      return "UNAVAILABLE";
    case StatusCode::UNAUTHENTICATED:
      return "UNAUTHENTICATED";
    default:
      return "INTERNAL";
  }
}
grpc::Status status_of(StatusCode code, std::string text) {
  if (text.starts_with("sinter: ")) text.erase(0, 8);
  return {code, shown(text, 1000)};
}
StatusCode code_of(sinter::RequestStatus status) {
  using sinter::RequestStatus;
  switch (status) {
    case RequestStatus::answered:
      return StatusCode::OK;
    case RequestStatus::queue_full:
      return StatusCode::RESOURCE_EXHAUSTED;
    case RequestStatus::deadline_exceeded:
      return StatusCode::DEADLINE_EXCEEDED;
    case RequestStatus::cancelled:
      return StatusCode::CANCELLED;
    case RequestStatus::stopped:
      return StatusCode::UNAVAILABLE;
    default:
      return StatusCode::INTERNAL;
  }
}
/// What a failure is in gRPC.
grpc::Status status_of(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const BadRequest& problem) {
    return status_of(StatusCode::INVALID_ARGUMENT, problem.what());
  } catch (const UnknownModel& problem) {
    return status_of(StatusCode::NOT_FOUND, problem.what());
  } catch (const ModelNotRunning& problem) {
    return status_of(StatusCode::UNAVAILABLE, problem.what());
  } catch (const sinter::RequestError& problem) {
    return status_of(code_of(problem.status), problem.what());
  } catch (const std::exception& problem) {
    return status_of(StatusCode::INTERNAL, problem.what());
  }
}

/// A call, until gRPC is done with it: it is logged once, and its cancellation reaches the queue.
class Call final : public grpc::ServerUnaryReactor {
 public:
  Call(AccessLog& log, const Context& context, const char* method, std::size_t received)
      : log_(log), access_{context.peer(), "gRPC", method, "", received, 0, {}} {}
  void end(const grpc::Status& status, std::size_t sent) {
    access_.status = name_of(status.error_code());
    access_.sent = status.ok() ? sent : status.error_message().size();
    access_.time = Clock::now() - began_;
    log_.add(access_);
    Finish(status);
  }
  std::stop_token cancellation() const { return cancelled_.get_token(); }

 private:
  void OnCancel() override { cancelled_.request_stop(); }
  void OnDone() override { delete this; }

  AccessLog& log_;
  Access access_;
  const Clock::time_point began_ = Clock::now();
  std::stop_source cancelled_;
};

class Service final : public inference::GRPCInferenceService::CallbackService {
 public:
  Service(Models& models, AccessLog& log, std::string token) : models_(models), log_(log), token_(std::move(token)) {}
  /// From now on calls are answered by UNAVAILABLE. Returns whether they were before.
  bool end() { return ended_.exchange(true); }

 private:
  /// Answers at once, by what work() writes.
  template <class Request, class Response, class Work>
  Call* answer(const Context& context, const char* method, const Request& request, Response& response, bool open,
               Work work) {
    Call* const call = new Call(log_, context, method, request.ByteSizeLong());
    try {
      if (!admits(context, *call, open)) return call;
      work();
    } catch (...) {
      call->end(status_of(std::current_exception()), 0);
      return call;
    }
    call->end(grpc::Status::OK, response.ByteSizeLong());
    return call;
  }
  /// Ends a call that is not to be answered. An `open` one needs no token.
  bool admits(const Context& context, Call& call, bool open) const {
    if (ended_) {
      call.end(status_of(StatusCode::UNAVAILABLE, "the server is ending"), 0);
      return false;
    }
    if (open || token_.empty()) return true;
    const auto found = context.client_metadata().find("authorization");
    if (found != context.client_metadata().end() && bears({found->second.data(), found->second.size()}, token_))
      return true;
    call.end(
        status_of(StatusCode::UNAUTHENTICATED, "this server wants the metadata authorization: Bearer with its token"),
        0);
    return false;
  }

  grpc::ServerUnaryReactor* ServerLive(Context* context, const inference::ServerLiveRequest* request,
                                       inference::ServerLiveResponse* response) override {
    return answer(*context, "ServerLive", *request, *response, true, [&] { response->set_live(true); });
  }
  grpc::ServerUnaryReactor* ServerReady(Context* context, const inference::ServerReadyRequest* request,
                                        inference::ServerReadyResponse* response) override {
    return answer(*context, "ServerReady", *request, *response, true, [&] { response->set_ready(models_.ready()); });
  }
  grpc::ServerUnaryReactor* ModelReady(Context* context, const inference::ModelReadyRequest* request,
                                       inference::ModelReadyResponse* response) override {
    return answer(*context, "ModelReady", *request, *response, false,
                  [&] { response->set_ready(models_.find(request->name(), request->version()).running != nullptr); });
  }
  grpc::ServerUnaryReactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest* request,
                                           inference::ServerMetadataResponse* response) override {
    return answer(*context, "ServerMetadata", *request, *response, false, [&] {
      response->set_name("sinter-serve");
      response->set_version(server_version());
      for (const char* extension : {"model_repository", "model_configuration", "statistics"})
        response->add_extensions(extension);
    });
  }
  grpc::ServerUnaryReactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                                          inference::ModelMetadataResponse* response) override {
    return answer(*context, "ModelMetadata", *request, *response, false, [&] {
      const ServedModel model = models_.find(request->name(), request->version());
      const RunningModel& running = model.run();
      const Tensors& tensors = running.library.tensors();
      response->set_name(model.name);
      for (const std::string& version : models_.versions(model.name)) response->add_versions(version);
      response->set_platform(std::string("sinter_") + running.library.isa(running.weights().get()));
      const auto set = [](auto& tensor, const std::string& name, const std::vector<std::size_t>& row) {
        tensor.set_name(name);
        tensor.set_datatype("FP32");
        tensor.add_shape(-1);
        for (const std::size_t size : row) tensor.add_shape(static_cast<std::int64_t>(size));
      };
      set(*response->add_inputs(), tensors.input, tensors.input_shape);
      set(*response->add_outputs(), tensors.output, tensors.output_shape);
    });
  }
  grpc::ServerUnaryReactor* ModelConfig(Context* context, const inference::ModelConfigRequest* request,
                                        inference::ModelConfigResponse* response) override {
    return answer(*context, "ModelConfig", *request, *response, false,
                  [&] { set_config(*response->mutable_config(), models_.find(request->name(), request->version())); });
  }
  /// Without a name, those of all models that run.
  grpc::ServerUnaryReactor* ModelStatistics(Context* context, const inference::ModelStatisticsRequest* request,
                                            inference::ModelStatisticsResponse* response) override {
    return answer(*context, "ModelStatistics", *request, *response, false, [&] {
      if (!request->name().empty())
        return set_statistics(*response->add_model_stats(), models_.find(request->name(), request->version()));
      for (const ServedModel& model : models_.all())
        if (model.running) set_statistics(*response->add_model_stats(), model);
    });
  }
  grpc::ServerUnaryReactor* RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* request,
                                            inference::RepositoryIndexResponse* response) override {
    return answer(*context, "RepositoryIndex", *request, *response, false, [&] {
      for (const ServedModel& model : models_.all()) {
        if (request->ready() && !model.running) continue;
        auto& one = *response->add_models();
        one.set_name(model.name);
        one.set_version(model.version);
        one.set_state(model.running ? "READY" : "UNAVAILABLE");
        one.set_reason(shown(model.problem, 1000));
      }
    });
  }
  grpc::ServerUnaryReactor* RepositoryModelLoad(Context* context, const inference::RepositoryModelLoadRequest* request,
                                                inference::RepositoryModelLoadResponse* response) override {
    return answer(*context, "RepositoryModelLoad", *request, *response, false, [&] {
      if (!request->parameters().empty()) refuse_load(request->parameters().begin()->first);
      models_.load(request->model_name());
    });
  }
  grpc::ServerUnaryReactor* RepositoryModelUnload(Context* context,
                                                  const inference::RepositoryModelUnloadRequest* request,
                                                  inference::RepositoryModelUnloadResponse* response) override {
    return answer(*context, "RepositoryModelUnload", *request, *response, false,
                  [&] { models_.unload(request->model_name()); });
  }

  /// Answered by the thread that computes its batch.
  grpc::ServerUnaryReactor* ModelInfer(Context* context, const inference::ModelInferRequest* request,
                                       inference::ModelInferResponse* response) override {
    Call* const call = new Call(log_, *context, "ModelInfer", request->ByteSizeLong());
    try {
      if (!admits(*context, *call, false)) return call;
      ServedModel model = models_.find(request->model_name(), request->model_version());
      RunningModel& running = model.run();
      InferenceRequest asked = parse_inference(*request, running.library.tensors(), running.queue.options().max_batch);
      sinter::RequestOptions options{.cancellation = call->cancellation()};
      const auto left = context->deadline() - std::chrono::system_clock::now();
      if (left < std::chrono::hours(24)) options.deadline = Clock::now() + left;
      const auto finish = [call, response, tensors = &running.library.tensors(), name = model.name,
                           version = model.version, id = asked.id, raw = asked.binary_output, rows = asked.rows](
                              sinter::RequestStatus status, std::span<const float> y, std::string_view problem) {
        if (status != sinter::RequestStatus::answered)
          return call->end(status_of(code_of(status), std::string(problem)), 0);
        try {
          set_answer(*response, name, version, id, raw, *tensors, rows, y.data());
        } catch (...) {  // out of memory: else the call would never end
          return call->end(status_of(std::current_exception()), 0);
        }
        call->end(grpc::Status::OK, response->ByteSizeLong());
      };
      submit(running, asked, std::move(options), finish);
    } catch (...) {
      call->end(status_of(std::current_exception()), 0);
    }
    return call;
  }

  Models& models_;
  AccessLog& log_;
  const std::string token_;
  std::atomic<bool> ended_{false};
};

}  // namespace

struct GrpcServer::Parts {
  Service service;
  std::chrono::seconds patience;
  int port = 0;
  std::unique_ptr<grpc::Server> server{};
};

GrpcServer::GrpcServer(Models& models, AccessLog& log, const std::string& token, const Limits& limits,
                       const std::string& address, int port)
    : parts_(new Parts{{models, log, token}, limits.request}) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors of clients are not logged
  google::protobuf::SetLogHandler(nullptr);
  const auto milliseconds = [](std::chrono::seconds time) {
    return static_cast<int>(std::chrono::milliseconds(time).count());
  };
  const bool is_ipv6 = address.find(':') != std::string::npos;
  grpc::ServerBuilder builder;
  builder.AddListeningPort((is_ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port),
                           grpc::InsecureServerCredentials(), &parts_->port);
  builder.RegisterService(&parts_->service);
  builder.SetResourceQuota(grpc::ResourceQuota("sinter-serve").Resize(limits.bodies()));
  // gRPC unpacks a message whatever its size.
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP})
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
  builder.SetMaxReceiveMessageSize(static_cast<int>(limits.body));
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, static_cast<int>(limits.header));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.connections);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, milliseconds(limits.request));
  // Idle and slow clients are disconnected when their connection is too old. Clients finish their calls and open a new
  // connection; closing idle connections could cut off a request that arrives at that moment.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, milliseconds(limits.idle));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, milliseconds(limits.request));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  parts_->server = builder.BuildAndStart();
  if (!parts_->server || parts_->port == 0)
    sinter::internal::fail("cannot listen for gRPC at " + address + ", port " + std::to_string(port) +
                           "; is it taken, or not an address of this machine?");
}

GrpcServer::~GrpcServer() { drain(); }

int GrpcServer::port() const { return parts_->port; }

void GrpcServer::drain() {
  if (!parts_->server) return;
  // gRPC cancels calls that arrive after it sent GOAWAY. So for a moment clients get a status by which they try elsewhere.
  if (!parts_->service.end()) std::this_thread::sleep_for(std::chrono::milliseconds(250));
  parts_->server->Shutdown(std::chrono::system_clock::now() + parts_->patience);
}

}  // namespace sinter_serve
