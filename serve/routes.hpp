// SPDX-License-Identifier: MIT
#pragma once

#include <httplib.h>
#include <strings.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "access_log.hpp"
#include "body_memory.hpp"
#include "inference.hpp"
#include "limited_server.hpp"
#include "metrics.hpp"
#include "models.hpp"
#include "page.hpp"
#include "submit.hpp"
#include "token.hpp"

namespace sinter_serve {

/// The paths of the Open Inference Protocol, version 2, and GET /metrics.
class Routes {
 public:
  Routes(LimitedServer& server, Models& models, AccessLog& log, std::string token, const Limits& limits)
      : models_(models), log_(log), token_(std::move(token)), max_body_(limits.body), body_memory_(limits.bodies()) {
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
                                     : "this server does not understand this request");
      return httplib::Server::HandlerResponse::Handled;
    }));
    const auto get = [&](const char* path, auto handler) {
      server.Get(path, [this, handler](const httplib::Request& request, httplib::Response& response) {
        (this->*handler)(request, response);
      });
    };
    const auto post = [&](const char* path, auto handler) {
      server.Post(path, [this, handler](const Request& request, Response& response,
                                        const httplib::ContentReader& reader) {
        std::string body;
        BodyMemory::Part memory(body_memory_);
        if (!read(reader, body, memory, response)) return;
        if constexpr (std::is_invocable_v<decltype(handler), Routes*, const Request&, Response&, const std::string&>)
          (this->*handler)(request, response, body);
        else
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
    } catch (const UnknownModel& problem) {
      error(response, 404, problem.what());
    } catch (const ModelNotRunning& problem) {
      error(response, 503, problem.what());
    } catch (const sinter::RequestError& problem) {
      using sinter::RequestStatus;
      const bool late = problem.status == RequestStatus::deadline_exceeded;
      error(response, problem.status == RequestStatus::failed ? 500 : late ? 504 : 503, problem.what());
      if (problem.status == RequestStatus::queue_full) response.set_header("Retry-After", "1");
    } catch (const std::exception& problem) {
      error(response, 500, problem.what());
    }
  }

  /// httplib compresses every answer by what a request accepts, brotli first, which takes long: gzip is left, or nothing.
  /// Its requests are no constants where it made them.
  static void limit_compression(const Request& request, bool large) {
    auto& headers = const_cast<Request&>(request).headers;
    const bool gzip = large && request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
    headers.erase("Accept-Encoding");
    if (gzip) headers.emplace("Accept-Encoding", "gzip");
  }
  /// What is wrong with the stated length of a body, or nothing. A proxy and this server must agree on where it ends.
  static std::string length_problem(const Request& request) {
    const std::string length = "Content-Length", coding = "Transfer-Encoding";
    if (request.get_header_value_count(length) + request.get_header_value_count(coding) > 1)
      return "the length of the body is given twice";
    if (const std::string text = request.get_header_value(length); request.has_header(length) && !is_size(text))
      return length + " is \"" + shown(text, 20) + "\", expected a number of bytes";
    if (const std::string text = request.get_header_value(coding);
        request.has_header(coding) && strcasecmp(text.c_str(), "chunked") != 0)
      return coding + " is \"" + shown(text, 20) + "\", expected \"chunked\"";
    return "";
  }
  static bool is_size(const std::string& text) {
    return !text.empty() && text.size() <= 15 && text.find_first_not_of("0123456789") == text.npos;
  }
  /// Called before the body is read. An answer from here closes the connection, because the body is not read.
  httplib::Server::HandlerResponse before(const Request& request, Response& response) {
    began() = Clock::now();
    received() = 0;
    limit_compression(request, true);
    const_cast<Request&>(request).ranges.clear();  // thousands of ranges of one answer would be sent
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
    if (const std::string problem = length_problem(request); !problem.empty()) return refuse(400, problem);
    if (!has_body) const_cast<Request&>(request).headers.emplace("Content-Length", "0");  // httplib would wait for one
    if (const std::string encoding = request.get_header_value("Content-Encoding");
        !encoding.empty() && encoding != "identity" && encoding != "gzip" && encoding != "deflate") {
      response.set_header("Accept-Encoding", "gzip, deflate, identity");
      return refuse(415, "the body is compressed by " + shown(encoding, 20) + ", expected gzip, deflate or neither");
    }
    if (request.is_multipart_form_data()) return refuse(415, "the body is a form; send JSON");
    return httplib::Server::HandlerResponse::Unhandled;
  }
  /// The decompressed body, whose size is limited, too. False if it is answered by an error.
  bool read(const httplib::ContentReader& reader, std::string& body, BodyMemory::Part& memory,
            Response& response) const {
    bool fits = true, remembered = true;
    const bool whole = reader([&](const char* data, std::size_t size) {
      received() += size;
      fits = body.size() + size <= max_body_;
      remembered = fits && memory.grow_to(body.size() + size);
      if (remembered) body.append(data, size);
      return remembered;
    });
    if (whole && remembered) return true;
    LimitedServer::closes_connection() = true;  // what is left of a body is no request
    response.set_header("Connection", "close");
    if (fits && !remembered) {
      response.set_header("Retry-After", "1");
      error(response, 503, "other requests have large bodies just now; send this one again later");
    } else if (response.status == 413 || !fits)
      error(response, 413, "the body has more than the " + std::to_string(max_body_) + " bytes that this server takes");
    else
      error(response, 400, "the body cannot be read: its length, its chunks or its compression are wrong");
    return false;
  }
  void after(const Request& request, const Response& response) {
    log_.add({request.remote_addr, request.method, request.path, std::to_string(response.status), received(),
              response.body.size(), Clock::now() - began()});
  }
  static std::size_t& received() {
    static thread_local std::size_t bytes = 0;
    return bytes;
  }
  static Clock::time_point& began() {
    static thread_local Clock::time_point time;
    return time;
  }

  void server_metadata(const Request&, Response& response) {
    json(response, {{"name", "sinter-serve"},
                    {"version", server_version()},
                    {"extensions", {"binary_tensor_data", "model_repository"}}});
  }
  void live(const Request&, Response& response) { json(response, {{"live", true}}); }
  void ready(const Request&, Response& response) {
    const bool is_ready = models_.ready();
    if (!is_ready) response.status = 503;
    json(response, {{"ready", is_ready}});
  }
  void metrics(const Request&, Response& response) {
    response.set_content(metrics_text(models_, log_), "text/plain; version=0.0.4");
  }

  /// The model that a path names.
  ServedModel model_of(const Request& request) const { return models_.find(request.matches[1], request.matches[2]); }
  void model_ready(const Request& request, Response& response) {
    const ServedModel model = model_of(request);
    if (!model.running) response.status = 503;
    json(response, {{"name", model.name}, {"ready", model.running != nullptr}});
  }
  void model_metadata(const Request& request, Response& response) {
    const ServedModel model = model_of(request);
    const RunningModel& running = model.run();
    const ModelLibrary& library = running.library;
    const Tensors& tensors = library.tensors();
    const auto tensor = [](const std::string& name, const std::vector<std::size_t>& row) {
      Json shape = {-1};
      for (const std::size_t size : row) shape.push_back(size);
      return Json{{"name", name}, {"datatype", "FP32"}, {"shape", shape}};
    };
    Json output = tensor(tensors.output, tensors.output_shape);
    if (const auto classes = running.classes(); !classes.empty()) output["parameters"] = {{"classes", classes}};
    const auto weights = running.weights();
    json(response, {{"name", model.name},
                    {"versions", models_.versions(model.name)},
                    {"platform", std::string("sinter_") + library.isa(weights.get())},
                    {"inputs", {tensor(tensors.input, tensors.input_shape)}},
                    {"outputs", Json::array({output})},
                    {"parameters",
                     {{"network", library.network()},
                      {"self_tested", library.self_tested(weights.get()) != 0},
                      {"max_batch", running.queue.options().max_batch}}}});
  }

  void infer(const Request& request, Response& response, const std::string& body) {
    const ServedModel model = model_of(request);
    RunningModel& running = model.run();
    const Tensors& tensors = running.library.tensors();
    const std::string length = "Inference-Header-Content-Length";
    std::size_t json_size = body.size();
    if (request.has_header(length)) {
      const std::string text = request.get_header_value(length);
      if (!is_size(text)) throw BadRequest(length + " is \"" + shown(text, 20) + "\", expected a number of bytes");
      json_size = std::stoul(text);
    }
    InferenceRequest asked = parse_inference(body, json_size, tensors, running.queue.options().max_batch);
    const std::vector<float> y = outputs(running, asked);
    std::size_t json_part = 0;
    std::string answer = inference_answer(asked, model.name, model.version, tensors, y, json_part);
    limit_compression(request, answer.size() > 1024);
    if (json_part != 0) response.set_header(length, std::to_string(json_part));
    response.set_content(std::move(answer), json_part != 0 ? "application/octet-stream" : "application/json");
  }
  /// Waits for a batch. Fails with a RequestError.
  static std::vector<float> outputs(RunningModel& running, InferenceRequest& asked) {
    auto promise = std::make_shared<std::promise<std::vector<float>>>();  // the queue may let go of it last
    auto future = promise->get_future();
    submit(running, asked, {},  // which alone has the promise: if an answer cannot be stored, the promise is broken
           [promise = std::move(promise)](sinter::RequestStatus status, std::span<const float> y,
                                          std::string_view problem) {
             if (status == sinter::RequestStatus::answered)
               promise->set_value({y.begin(), y.end()});
             else
               promise->set_exception(std::make_exception_ptr(sinter::RequestError(status, std::string(problem))));
           });
    return future.get();
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
    models_.load(request.matches[1]);
    json(response, Json::object());
  }
  void unload(const Request& request, Response& response) {
    models_.unload(request.matches[1]);
    json(response, Json::object());
  }

  Models& models_;
  AccessLog& log_;
  const std::string token_;
  const std::size_t max_body_;
  BodyMemory body_memory_;
};

}  // namespace sinter_serve
