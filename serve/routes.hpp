// SPDX-License-Identifier: MIT
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sinter/version.hpp>
#include <string>
#include <utility>
#include <vector>

#include "inference.hpp"
#include "limited_server.hpp"
#include "metrics.hpp"
#include "models.hpp"
#include "page.hpp"
#include "token.hpp"

namespace sinter_serve {

/// The paths of the Open Inference Protocol, version 2, and GET /metrics.
class Routes {
 public:
  Routes(LimitedServer& server, Models& models, std::string token, bool log)
      : models_(models), token_(std::move(token)), log_(log) {
    server.set_pre_routing_handler([this](const auto& request, auto& response) { return before(request, response); });
    server.set_logger([this](const auto& request, const auto& response) { after(request, response); });
    server.set_exception_handler(
        [](const auto&, auto& response, std::exception_ptr error) { answer_error(response, error); });
    server.set_error_handler(httplib::Server::HandlerWithResponse([](const Request& request, Response& response) {
      if (!response.body.empty()) return httplib::Server::HandlerResponse::Unhandled;
      if (response.status != 404) {  // what is left of a body is no request
        LimitedServer::closes_connection() = true;
        response.set_header("Connection", "close");
      }
      error(response, response.status,
            response.status == 404   ? "there is nothing at " + shown(request.method + " " + request.path)
            : response.status == 413 ? "the body is larger than this server takes"
                                     : "this is no request that this server understands");
      return httplib::Server::HandlerResponse::Handled;
    }));
    const auto get = [&](const char* path, auto handler) {
      server.Get(path, [this, handler](const httplib::Request& request, httplib::Response& response) {
        (this->*handler)(request, response);
      });
    };
    const auto post = [&](const char* path, auto handler) {
      server.Post(path, [this, handler](const httplib::Request& request, httplib::Response& response) {
        (this->*handler)(request, response);
      });
    };
    get("/v2", &Routes::server_metadata);
    get("/v2/health/live", &Routes::live);
    get("/v2/health/ready", &Routes::ready);
    get("/metrics", &Routes::metrics);
    get(R"(/v2/models/([^/]+)(?:/versions/([^/]+))?/ready)", &Routes::model_ready);
    get(R"(/v2/models/([^/]+)(?:/versions/([^/]+))?)", &Routes::model_metadata);
    post(R"(/v2/models/([^/]+)(?:/versions/([^/]+))?/infer)", &Routes::infer);
    post("/v2/repository/index", &Routes::index);
    post(R"(/v2/repository/models/([^/]+)/load)", &Routes::load);
    post(R"(/v2/repository/models/([^/]+)/unload)", &Routes::unload);
  }

  /// GET / is a page to draw in.
  static void add_page(LimitedServer& server) {
    server.Get("/", [](const Request&, Response& response) {
      response.set_header(
          "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
          "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
      response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
    });
  }

  /// From now on GET /v2/health/ready says no.
  void drain() { draining_ = true; }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;
  using Clock = std::chrono::steady_clock;

  static void json(Response& response, const Json& body) {
    response.set_content(body.dump(-1, ' ', false, Json::error_handler_t::replace), "application/json");
  }
  static void error(Response& response, int status, std::string text) {
    if (text.starts_with("sinter: ")) text.erase(0, 8);
    response.status = status;
    json(response, {{"error", text}});
  }
  static void answer_error(Response& response, std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const BadRequest& problem) {
      error(response, 400, problem.what());
    } catch (const sinter::RequestError& problem) {
      using sinter::RequestStatus;
      const bool late = problem.status == RequestStatus::deadline_exceeded;
      error(response, problem.status == RequestStatus::failed ? 500 : late ? 504 : 503, problem.what());
      if (problem.status == RequestStatus::queue_full) response.set_header("Retry-After", "1");
    } catch (const std::exception& problem) {
      error(response, 500, problem.what());
    }
  }

  /// Before the body is read. What is answered here closes the connection, as its body is not read.
  httplib::Server::HandlerResponse before(const Request& request, Response& response) {
    began() = Clock::now();
    const auto refuse = [&](int status, const std::string& text) {
      LimitedServer::closes_connection() = true;
      response.set_header("Connection", "close");
      error(response, status, text);
      return httplib::Server::HandlerResponse::Handled;
    };
    const bool health = request.path.starts_with("/v2/health/");
    if (!token_.empty() && !health && !bears(request.get_header_value("Authorization"), token_)) {
      response.set_header("WWW-Authenticate", "Bearer");
      return refuse(401, "this server wants the header Authorization: Bearer with its token");
    }
    // A page of another site, in a browser on this machine.
    if (const std::string origin = request.get_header_value("Origin"), host = request.get_header_value("Host");
        !origin.empty() && origin != "http://" + host && origin != "https://" + host)
      return refuse(403, "the request comes from a page of " + shown(origin) + ", expected one of this server");
    const bool has_body = request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (request.method != "POST" && request.method != "GET" && request.method != "HEAD")
      return refuse(405, "the method is " + shown(request.method, 20) + ", expected GET or POST");
    if (request.method != "POST" && has_body && request.get_header_value("Content-Length") != "0")
      return refuse(400, "a request by " + request.method + " has a body");
    if (request.get_header_value_count("Content-Length") > 1 ||
        (request.has_header("Content-Length") && request.has_header("Transfer-Encoding")))
      return refuse(400, "the length of the body is given twice");
    if (request.has_header("Content-Encoding") && request.get_header_value("Content-Encoding") != "identity")
      return refuse(415, "the body is compressed; send it as it is");
    if (request.is_multipart_form_data()) return refuse(415, "the body is a form; send JSON");
    return httplib::Server::HandlerResponse::Unhandled;
  }
  void after(const Request& request, const Response& response) {
    http_.count(response.status);
    if (!log_) return;
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char time[32];
    std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
    const Json line = {{"time", time},
                       {"client", request.remote_addr},
                       {"method", shown(request.method, 20)},
                       {"path", shown(request.path, 200)},
                       {"status", response.status},
                       {"received", request.body.size()},
                       {"sent", response.body.size()},
                       {"us", std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began()).count()}};
    const std::string text = line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
    const std::scoped_lock lock(log_mutex_);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  static Clock::time_point& began() {
    static thread_local Clock::time_point time;
    return time;
  }

  void server_metadata(const Request&, Response& response) {
    json(response, {{"name", "sinter-serve"},
                    {"version", std::to_string(SINTER_VERSION_MAJOR) + "." + std::to_string(SINTER_VERSION_MINOR) +
                                    "." + std::to_string(SINTER_VERSION_PATCH)},
                    {"extensions", {"binary_tensor_data", "model_repository"}}});
  }
  void live(const Request&, Response& response) { json(response, {{"live", true}}); }
  void ready(const Request&, Response& response) {
    const bool is_ready = !draining_ && models_.ready();
    if (!is_ready) response.status = 503;
    json(response, {{"ready", is_ready}});
  }
  void metrics(const Request&, Response& response) {
    response.set_content(metrics_text(models_, http_), "text/plain; version=0.0.4");
  }

  /// The model that a path names; answers 404 where there is none.
  std::optional<ServedModel> model_of(const Request& request, Response& response) {
    try {
      return models_.find(request.matches[1], request.matches[2]);
    } catch (const sinter::Error& problem) {
      error(response, 404, shown(problem.what(), 500));
      return std::nullopt;
    }
  }
  void model_ready(const Request& request, Response& response) {
    const auto model = model_of(request, response);
    if (!model) return;
    if (!model->running) response.status = 503;
    json(response, {{"name", model->name}, {"ready", model->running != nullptr}});
  }
  void model_metadata(const Request& request, Response& response) {
    const auto model = model_of(request, response);
    if (!model) return;
    if (!model->running) return error(response, 503, "model \"" + model->name + "\" is not running: " + model->problem);
    const ModelLibrary& library = model->running->library;
    const Tensors& tensors = library.tensors();
    const auto tensor = [](const std::string& name, const std::vector<std::size_t>& row) {
      Json shape = {-1};
      for (const std::size_t size : row) shape.push_back(size);
      return Json{{"name", name}, {"datatype", "FP32"}, {"shape", shape}};
    };
    Json versions = Json::array();
    for (const auto& each : models_.all())
      if (each.name == model->name) versions.push_back(each.version);
    Json output = tensor(tensors.output, tensors.output_shape);
    if (const auto classes = model->running->classes(); !classes.empty()) output["parameters"] = {{"classes", classes}};
    const auto weights = model->running->weights();
    json(response, {{"name", model->name},
                    {"versions", versions},
                    {"platform", std::string("sinter_") + library.isa(weights.get())},
                    {"inputs", {tensor(tensors.input, tensors.input_shape)}},
                    {"outputs", Json::array({output})},
                    {"parameters",
                     {{"network", library.network()},
                      {"self_tested", library.self_tested(weights.get()) != 0},
                      {"max_batch", model->running->queue.options().max_batch}}}});
  }

  void infer(const Request& request, Response& response) {
    const auto model = model_of(request, response);
    if (!model) return;
    if (!model->running) return error(response, 503, "model \"" + model->name + "\" is not running: " + model->problem);
    RunningModel& running = *model->running;
    const std::string length = "Inference-Header-Content-Length";
    std::size_t json_size = request.body.size();
    if (request.has_header(length)) {
      const std::string text = request.get_header_value(length);
      if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != text.npos)
        return error(response, 400, length + " is \"" + shown(text, 20) + "\", expected a number of bytes");
      json_size = std::stoul(text);
    }
    InferenceRequest asked =
        parse_inference(request.body, json_size, running.library.tensors(), running.queue.options().max_batch);
    const std::vector<float> y = outputs(running, asked);
    std::size_t json_part = 0;
    std::string body = inference_answer(asked, model->name, model->version, running.library.tensors(), y, json_part);
    if (json_part != 0) response.set_header(length, std::to_string(json_part));
    response.set_content(std::move(body), json_part != 0 ? "application/octet-stream" : "application/json");
  }
  /// Waits for a batch. Fails with a RequestError.
  static std::vector<float> outputs(RunningModel& running, InferenceRequest& asked) {
    using sinter::RequestStatus;
    struct Result {
      RequestStatus status;
      std::vector<float> y;
      std::string error;
    };
    std::promise<Result> promise;
    auto future = promise.get_future();
    sinter::RequestOptions options;
    if (asked.timeout.count() > 0) options.deadline = Clock::now() + asked.timeout;
    const auto call = [&promise, count = asked.rows * running.library.tensors().outputs](
                          RequestStatus status, const float* y, std::string_view error_text) {
      promise.set_value({status, y ? std::vector<float>(y, y + count) : std::vector<float>(), std::string(error_text)});
    };
    std::unique_ptr<Queue::Request> request =
        std::make_unique<sinter::internal::detail::CallingRequest<float, decltype(call)>>(
            std::move(asked.x), asked.rows, std::move(options), call);
    if (const auto refusal = running.queue.enqueue(request)) throw *refusal;
    Result result = future.get();
    if (result.status != RequestStatus::answered) throw sinter::RequestError(result.status, result.error);
    return std::move(result.y);
  }

  void index(const Request&, Response& response) {
    Json all = Json::array();
    for (const ServedModel& model : models_.all())
      all.push_back({{"name", model.name},
                     {"version", model.version},
                     {"state", model.running ? "READY" : "UNAVAILABLE"},
                     {"reason", model.problem}});
    json(response, all);
  }
  void load(const Request& request, Response& response) {
    if (!model_of(request, response)) return;
    models_.load(request.matches[1]);
    json(response, Json::object());
  }
  void unload(const Request& request, Response& response) {
    if (!model_of(request, response)) return;
    models_.unload(request.matches[1]);
    json(response, Json::object());
  }

  Models& models_;
  const std::string token_;
  const bool log_;
  HttpCounts http_;
  std::mutex log_mutex_;
  std::atomic<bool> draining_{false};
};

}  // namespace sinter_serve
