// SPDX-License-Identifier: MIT
#include "grpc_server.hpp"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "grpc_call.hpp"
#include "grpc_description.hpp"
#include "grpc_request.hpp"
#include "grpc_sockets.hpp"
#include "inference.pb.h"
#include "submit.hpp"
#include "token.hpp"

namespace sinter_serve {

namespace {

using Clock = std::chrono::steady_clock;
using grpc::StatusCode;
using Context = grpc::GenericCallbackServerContext;

std::size_t most_numbers_of(const Models& models) {
  std::size_t most = 0;
  for (const ServedModel& model : models.all())
    if (model.running)
      most = std::max(most, model.running->library.tensors().inputs * model.running->queue.options().max_batch);
  return most;
}

/// That a call may take where its connection is too old: to arrive, to wait for a model, and to be taken.
std::chrono::seconds time_of_call(const Models& models, const Limits& limits) {
  std::chrono::microseconds longest{0};
  for (const ServedModel& model : models.all())
    if (model.running) longest = std::max(longest, model.running->queue.options().max_delay);
  return 2 * limits.request + limits.idle + std::chrono::ceil<std::chrono::seconds>(longest);
}

class Service final : public grpc::CallbackGenericService, private GrpcCalls {
 public:
  Service(Models& models, AccessLog& log, std::string token, const Limits& limits)
      : GrpcCalls(most_numbers_of(models), limits.bodies()),
        models_(models),
        log_(log),
        token_(std::move(token)),
        limits_(limits),
        clients_(limits.calls(), limits.bodies(), sockets_) {}
  /// From now on calls are answered by UNAVAILABLE. Waits for those that have come: their messages have a time to
  /// arrive, as over HTTP, and their answers to be taken. Then ends all connections whose clients have taken theirs.
  void end() {
    ended_ = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(250));  // most clients get it in words
    wait_for(taken, limits_.request);
    wait_for(waiting, std::chrono::hours(24));
    wait_for(taken, limits_.request);
    sockets_.stop_listening();
    for (const auto until = Clock::now() + limits_.request; sockets_.end_all() && Clock::now() < until;) pause();
  }

  int port = 0;  // once it listens

 private:
  struct Method {
    const char* name;
    void (Service::*answer)(GrpcCall&);
    bool open = false;  // without a token
  };
  static const Method methods[];
  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
  static void wait_for(const std::atomic<int>& none, Clock::duration time) {
    for (const auto until = Clock::now() + time; none > 0 && Clock::now() < until;) pause();
  }
  static const Method* find(std::string_view path) {
    if (!path.starts_with(grpc_service)) return nullptr;
    for (const Method* one = methods; one->name; ++one)
      if (path.substr(grpc_service.size()) == one->name) return one;
    return nullptr;
  }

  grpc::ServerGenericBidiReactor* CreateReactor(Context* context) override {
    return new GrpcCall(*this, log_, clients_, *context);
  }
  grpc::Status check(const Context& context) const override {
    if (ended_) return status_of(StatusCode::UNAVAILABLE, "the server is ending");
    const auto& metadata = context.client_metadata();
    std::size_t size = context.method().size();
    for (const auto& [name, value] : metadata) size += name.size() + value.size() + 32;  // as HTTP/2 counts them
    if (size > limits_.header)
      return status_of(StatusCode::RESOURCE_EXHAUSTED, "the metadata have " + std::to_string(size) +
                                                           " bytes, more than the " + std::to_string(limits_.header) +
                                                           " that this server takes");
    const auto given = metadata.count("authorization");
    if (given > 1)
      return status_of(StatusCode::INVALID_ARGUMENT, "the metadata authorization is given " + std::to_string(given) +
                                                         " times, expected once at most");
    const Method* const method = find(context.method());
    const auto found = metadata.find("authorization");
    if (!(method && method->open) && !token_.empty() &&
        (found == metadata.end() || !bears({found->second.data(), found->second.size()}, token_)))
      return status_of(StatusCode::UNAUTHENTICATED,
                       "this server wants the metadata authorization: Bearer with its token");
    if (!method) return status_of(StatusCode::UNIMPLEMENTED, "there is no method " + shown(context.method()));
    return grpc::Status::OK;
  }
  void answer(GrpcCall& call) override {
    if (call.received() > limits_.body)
      return call.end(status_of(StatusCode::RESOURCE_EXHAUSTED,
                                "the message has " + std::to_string(call.received()) + " bytes, more than the " +
                                    std::to_string(limits_.body) + " that this server takes"));
    (this->*find(call.context().method())->answer)(call);
  }

  /// Answers at once, by what `work` makes of a request.
  template <auto work>
  void answer(GrpcCall& call) {
    answer(call, work);
  }
  template <class Request, class Response>
  void answer(GrpcCall& call, void (Service::*work)(const Request&, Response&)) {
    Response response;
    (this->*work)(call.read<Request>(), response);
    call.end(response);
  }

  void live(const inference::ServerLiveRequest&, inference::ServerLiveResponse& response) { response.set_live(true); }
  void ready(const inference::ServerReadyRequest&, inference::ServerReadyResponse& response) {
    response.set_ready(models_.ready());
  }
  void model_ready(const inference::ModelReadyRequest& request, inference::ModelReadyResponse& response) {
    response.set_ready(models_.find(request.name(), request.version()).running != nullptr);
  }
  void metadata(const inference::ServerMetadataRequest&, inference::ServerMetadataResponse& response) {
    response.set_name("sinter-serve");
    response.set_version(server_version());
    for (const char* extension : {"model_repository", "model_configuration", "statistics"})
      response.add_extensions(extension);
  }
  void model_metadata(const inference::ModelMetadataRequest& request, inference::ModelMetadataResponse& response) {
    const ServedModel model = models_.find(request.name(), request.version());
    const RunningModel& running = model.run();
    const Tensors& tensors = running.library.tensors();
    response.set_name(model.name);
    for (const std::string& version : models_.versions(model.name)) response.add_versions(version);
    response.set_platform(std::string("sinter_") + running.library.isa(running.weights().get()));
    const auto set = [](auto& tensor, const std::string& name, const std::vector<std::size_t>& row) {
      tensor.set_name(name);
      tensor.set_datatype("FP32");
      tensor.add_shape(-1);
      for (const std::size_t size : row) tensor.add_shape(static_cast<std::int64_t>(size));
    };
    set(*response.add_inputs(), tensors.input, tensors.input_shape);
    set(*response.add_outputs(), tensors.output, tensors.output_shape);
  }
  void config(const inference::ModelConfigRequest& request, inference::ModelConfigResponse& response) {
    set_config(*response.mutable_config(), models_.find(request.name(), request.version()));
  }
  /// Without a name, those of all models that run.
  void statistics(const inference::ModelStatisticsRequest& request, inference::ModelStatisticsResponse& response) {
    if (!request.name().empty())
      return set_statistics(*response.add_model_stats(), models_.find(request.name(), request.version()));
    for (const ServedModel& model : models_.all())
      if (model.running) set_statistics(*response.add_model_stats(), model);
  }
  void index(const inference::RepositoryIndexRequest& request, inference::RepositoryIndexResponse& response) {
    for (const ServedModel& model : models_.all()) {
      if (request.ready() && !model.running) continue;
      auto& one = *response.add_models();
      one.set_name(model.name);
      one.set_version(model.version);
      one.set_state(model.running ? "READY" : "UNAVAILABLE");
      one.set_reason(shown(model.problem, 1000));
    }
  }
  void load(const inference::RepositoryModelLoadRequest& request, inference::RepositoryModelLoadResponse&) {
    if (!request.parameters().empty()) refuse_load(request.parameters().begin()->first);
    models_.load(request.model_name());
  }
  void unload(const inference::RepositoryModelUnloadRequest& request, inference::RepositoryModelUnloadResponse&) {
    models_.unload(request.model_name());
  }

  /// Answered by the thread that computes its batch.
  void infer(GrpcCall& call) {
    const auto request = call.read<inference::ModelInferRequest>();
    ServedModel model = models_.find(request.model_name(), request.model_version());
    RunningModel& running = model.run();
    InferenceRequest asked = parse_inference(request, running.library.tensors(), running.queue.options().max_batch);
    check_answer(asked.rows * running.library.tensors().outputs * sizeof(float), limits_.bodies());
    sinter::RequestOptions options{.cancellation = call.cancellation()};
    const auto left = call.context().deadline() - std::chrono::system_clock::now();
    if (left < std::chrono::hours(24)) options.deadline = Clock::now() + left;
    const auto finish = [&call, tensors = &running.library.tensors(), name = model.name, version = model.version,
                         id = asked.id, raw = asked.binary_output, rows = asked.rows](
                            sinter::RequestStatus status, std::span<const float> y, std::string_view problem) {
      if (status != sinter::RequestStatus::answered) return call.end(status_of(code_of(status), std::string(problem)));
      try {
        inference::ModelInferResponse response;
        set_answer(response, name, version, id, raw, *tensors, rows, y.data());
        call.end(response);
      } catch (...) {  // out of memory: else the call would never end
        call.end(status_of(std::current_exception()));
      }
    };
    call.wait();
    submit(running, asked, std::move(options), finish);
  }

  Models& models_;
  AccessLog& log_;
  const std::string token_;
  const Limits limits_;
  GrpcSockets sockets_{port};
  GrpcClients clients_;
  std::atomic<bool> ended_{false};
};

const Service::Method Service::methods[] = {{"ServerLive", &Service::answer<&Service::live>, true},
                                            {"ServerReady", &Service::answer<&Service::ready>, true},
                                            {"ModelReady", &Service::answer<&Service::model_ready>},
                                            {"ServerMetadata", &Service::answer<&Service::metadata>},
                                            {"ModelMetadata", &Service::answer<&Service::model_metadata>},
                                            {"ModelInfer", &Service::infer},
                                            {"ModelConfig", &Service::answer<&Service::config>},
                                            {"ModelStatistics", &Service::answer<&Service::statistics>},
                                            {"RepositoryIndex", &Service::answer<&Service::index>},
                                            {"RepositoryModelLoad", &Service::answer<&Service::load>},
                                            {"RepositoryModelUnload", &Service::answer<&Service::unload>},
                                            {nullptr, nullptr}};

}  // namespace

struct GrpcServer::Parts {
  Service service;
  std::unique_ptr<grpc::Server> server{};
};

GrpcServer::GrpcServer(Models& models, AccessLog& log, const std::string& token, const Limits& limits,
                       const std::string& address, int port)
    : parts_(new Parts{{models, log, token, limits}}) {
#if defined(M_ARENA_MAX)
  mallopt(M_ARENA_MAX, 1);  // else each thread of gRPC keeps what it freed, gigabytes in all
#endif
  gpr_set_log_function([](gpr_log_func_args*) {});  // errors of clients are not logged
  google::protobuf::SetLogHandler(nullptr);
  const auto milliseconds = [](std::chrono::seconds time) {
    return static_cast<int>(std::chrono::milliseconds(time).count());
  };
  const bool is_ipv6 = address.find(':') != std::string::npos;
  grpc::ServerBuilder builder;
  builder.AddListeningPort((is_ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port),
                           grpc::InsecureServerCredentials(), &parts_->service.port);
  builder.RegisterCallbackGenericService(&parts_->service);
  builder.SetResourceQuota(grpc::ResourceQuota("sinter-serve").Resize(limits.bodies()));
  // gRPC unpacks a message whatever its size.
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP})
    builder.SetCompressionAlgorithmSupportStatus(algorithm, false);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 64 << 10);
  // It reads messages that are too large, within the quota, and refuses them without a trace in the log.
  builder.SetMaxReceiveMessageSize(-1);
  // Metadata of up to twice the limit are refused here, with words and in the log; larger ones by gRPC.
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, static_cast<int>(2 * limits.header));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.connections);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, milliseconds(limits.request));
  // Idle and slow clients are disconnected when their connection is too old. Clients finish their calls and open a new
  // connection; closing idle connections could cut off a request that arrives at that moment.
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, milliseconds(limits.idle));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, milliseconds(time_of_call(models, limits)));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  parts_->server = builder.BuildAndStart();
  if (!parts_->server || parts_->service.port == 0)
    sinter::internal::fail("cannot listen for gRPC at " + address + ", port " + std::to_string(port) +
                           "; is it taken, or not an address of this machine?");
}

GrpcServer::~GrpcServer() { drain(); }

int GrpcServer::port() const { return parts_->service.port; }

void GrpcServer::drain() {
  if (!parts_->server) return;
  // gRPC cancels calls that arrive before its clients read GOAWAY. Where a connection ends, their status is
  // UNAVAILABLE, by which they try elsewhere.
  parts_->service.end();
  parts_->server->Shutdown(std::chrono::system_clock::now());
  parts_->server.reset();
}

}  // namespace sinter_serve
