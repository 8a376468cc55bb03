// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "body_memory.hpp"
#include "host_names.hpp"
#include "http_body.hpp"
#include "http_message.hpp"
#include "http_server.hpp"
#include "inference.hpp"
#include "json_text.hpp"
#include "messages.hpp"
#include "metrics.hpp"
#include "model_statistics.hpp"
#include "models.hpp"
#include "page.hpp"
#include "route.hpp"
#include "submit.hpp"
#include "token.hpp"

namespace sinter_serve {

/// The paths of the Open Inference Protocol, version 2, what Triton adds to them, and GET /metrics.
class Routes final : public HttpService {
 public:
  /// `with_page`: GET / is a page to draw in.
  Routes(Models& models, const AccessLog& log, const Messages& messages, BodyMemory& memory, HostNames hosts,
         std::string token, bool with_page)
      : models_(models),
        log_(log),
        messages_(messages),
        memory_(memory),
        hosts_(std::move(hosts)),
        token_(std::move(token)) {
    handlers_ = {{"GET /v2", &Routes::server_metadata},
                 {"GET /v2/", &Routes::server_metadata},
                 {"GET /v2/health/live", &Routes::live},
                 {"GET /v2/health/ready", &Routes::ready},
                 {"GET /metrics", &Routes::metrics},
                 {"GET /v2/models/stats", &Routes::all_statistics},
                 {"GET /v2/models/*", &Routes::model_metadata},
                 {"GET /v2/models/*/ready", &Routes::model_ready},
                 {"GET /v2/models/*/config", &Routes::model_config},
                 {"GET /v2/models/*/stats", &Routes::model_statistics},
                 {"POST /v2/models/*/infer", &Routes::infer},
                 {"POST /v2/repository/index", &Routes::index},
                 {"POST /v2/repository/models/*/load", &Routes::load},
                 {"POST /v2/repository/models/*/unload", &Routes::unload}};
    if (with_page) handlers_["GET /"] = &Routes::drawing_page;
  }

  void check(const HttpRequest& request) const override {
    const auto& headers = request.headers;
    if (!token_.empty() && !request.is_health() && !bears(headers["Authorization"], token_))
      throw HttpError(401, "this server wants the header Authorization: Bearer with its token",
                      {{{"WWW-Authenticate", "Bearer"}}});
    const bool has_no_host = request.minor == 0 && request.host.empty() && !headers.has("Host");  // as in HTTP/1.0
    if (!request.is_health() && !has_no_host && !hosts_.has(request.host))
      throw HttpError(
          403, "the request is for " + shown(request.host) + ", which is no name of this server; --host gives it one");
    // A page of another site, in a browser on this machine.
    if (const std::string origin(headers["Origin"]);
        !origin.empty() && origin != "http://" + request.host && origin != "https://" + request.host)
      throw HttpError(403, "the request comes from a page of " + shown(origin) + ", expected one of this server");
    if (request.method != "POST" && request.method != "GET" && request.method != "HEAD")
      throw HttpError(405, "the method is " + shown(request.method, 20) + ", expected GET or POST",
                      {{{"Allow", "GET, HEAD, POST"}}});
    const bool has_body = headers.has("Content-Length") || headers.has("Transfer-Encoding");
    if (request.method != "POST" && has_body && headers["Content-Length"] != "0")
      throw HttpError(400, "a request by " + request.method + " has a body");
    if (same_word(headers["Content-Type"].substr(0, 19), "multipart/form-data"))
      throw HttpError(415, "the body is a form; send JSON");
  }

  HttpResponse answer(const HttpRequest& request) override {
    try {
      const Route route = route_of(request.method, request.path);
      const auto found = handlers_.find(route.pattern);
      if (found == handlers_.end())
        return error_response(404, "there is nothing at " + shown(request.method + " " + request.path));
      return (this->*found->second)(request, route);
    } catch (...) {
      return failure(std::current_exception());
    }
  }

 private:
  using Handler = HttpResponse (Routes::*)(const HttpRequest&, const Route&);

  static HttpResponse failure(std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const BadRequest& problem) {
      return error_response(400, problem.what());
    } catch (const UnknownModel& problem) {
      return error_response(404, problem.what());
    } catch (const ModelNotRunning& problem) {
      return error_response(503, problem.what());
    } catch (const sinter::RequestError& problem) {
      using sinter::RequestStatus;
      const bool late = problem.status == RequestStatus::deadline_exceeded;
      HttpResponse response = error_response(problem.status == RequestStatus::failed ? 500
                                             : late                                  ? 504
                                                                                     : 503,
                                             problem.what());
      if (problem.status == RequestStatus::queue_full) response.headers.add("Retry-After", "1");
      return response;
    } catch (const std::exception& problem) {
      return error_response(500, problem.what());
    }
  }

  HttpResponse drawing_page(const HttpRequest&, const Route&) {
    HttpResponse response{.body = std::string(page), .type = "text/html; charset=utf-8"};
    response.headers.add(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    return response;
  }
  HttpResponse server_metadata(const HttpRequest&, const Route&) {
    return json_response(
        {{"name", "sinter-serve"},
         {"version", server_version()},
         {"extensions", {"binary_tensor_data", "model_repository", "model_configuration", "statistics"}}});
  }
  HttpResponse live(const HttpRequest&, const Route&) { return json_response({{"live", true}}); }
  HttpResponse ready(const HttpRequest&, const Route&) {
    const bool is_ready = models_.ready();
    HttpResponse response = json_response({{"ready", is_ready}});
    if (!is_ready) response.status = 503;
    return response;
  }
  HttpResponse metrics(const HttpRequest&, const Route&) {
    return {.body = metrics_text(models_, log_, messages_), .type = "text/plain; version=0.0.4"};
  }

  ServedModel model_of(const Route& route) const { return models_.find(route.name, route.version); }
  HttpResponse model_ready(const HttpRequest&, const Route& route) {
    const ServedModel model = model_of(route);
    HttpResponse response = json_response({{"name", model.name}, {"ready", model.running != nullptr}});
    if (!model.running) response.status = 503;
    return response;
  }
  HttpResponse model_metadata(const HttpRequest&, const Route& route) {
    const ServedModel model = model_of(route);
    const RunningModel& running = model.run();
    const ModelLibrary& library = running.library;
    const Tensors& tensors = library.tensors();
    const auto tensor = [](const std::string& name, const std::vector<std::size_t>& row) {
      Json shape = {-1};
      for (const std::size_t size : row) shape.push_back(size);
      return Json{{"name", name}, {"datatype", "FP32"}, {"shape", shape}};
    };
    Json output = tensor(tensors.output, tensors.output_shape);
    if (const auto classes = running.classes(); !classes.empty()) output["parameters"]["classes"] = classes;
    for (std::size_t i = 0; i < tensors.heads.size(); ++i) {
      Json head = {{"name", tensors.heads[i].name}, {"shape", tensors.heads[i].shape}};
      if (const auto classes = running.classes_of(i); !classes.empty()) head["classes"] = classes;
      output["parameters"]["heads"].push_back(head);
    }
    const auto weights = running.weights();
    return json_response({{"name", model.name},
                          {"versions", models_.versions(model.name)},
                          {"platform", std::string("sinter_") + library.isa(weights.get())},
                          {"inputs", {tensor(tensors.input, tensors.input_shape)}},
                          {"outputs", Json::array({output})},
                          {"parameters",
                           {{"network", library.network()},
                            {"self_tested", library.self_tested(weights.get()) != 0},
                            {"max_batch", running.queue.options().max_batch}}}});
  }

  /// As Triton's model configuration.
  HttpResponse model_config(const HttpRequest&, const Route& route) {
    const ServedModel model = model_of(route);
    const RunningModel& running = model.run();
    const Tensors& tensors = running.library.tensors();
    const auto& options = running.queue.options();
    const auto tensor = [](const std::string& name, const std::vector<std::size_t>& row) {
      return Json::array({{{"name", name}, {"data_type", "TYPE_FP32"}, {"dims", row}}});
    };
    return json_response(
        {{"name", model.name},
         {"platform", std::string("sinter_") + running.library.isa(running.weights().get())},
         {"backend", "sinter"},
         {"max_batch_size", options.max_batch},
         {"input", tensor(tensors.input, tensors.input_shape)},
         {"output", tensor(tensors.output, tensors.output_shape)},
         {"instance_group", Json::array({{{"name", model.name}, {"kind", "KIND_CPU"}, {"count", options.workers}}})},
         {"dynamic_batching", {{"max_queue_delay_microseconds", options.max_delay.count()}}}});
  }
  HttpResponse model_statistics(const HttpRequest&, const Route& route) {
    const ServedModel model = model_of(route);
    model.run();
    return json_response({{"model_stats", Json::array({statistics_of(model)})}});
  }
  HttpResponse all_statistics(const HttpRequest&, const Route&) {
    Json all = Json::array();
    for (const ServedModel& model : models_.all())
      if (model.running) all.push_back(statistics_of(model));
    return json_response({{"model_stats", all}});
  }
  static Json statistics_of(const ServedModel& model) {
    const ModelStatistics now(*model.running);
    const auto times = [](const RequestTimes::Sum& sum) { return Json{{"count", sum.count}, {"ns", sum.ns}}; };
    return {{"name", model.name},
            {"version", model.version},
            {"last_inference", now.last},
            {"inference_count", now.rows},
            {"execution_count", now.batches},
            {"inference_stats",
             {{"success", times(now.success)},
              {"fail", times(now.fail)},
              {"queue", times(now.queue)},
              {"compute_input", times({now.compute.count, 0})},
              {"compute_infer", times(now.compute)},
              {"compute_output", times({now.compute.count, 0})},
              {"cache_hit", times({})},
              {"cache_miss", times({})}}},
            {"batch_stats", Json::array()},
            {"memory_usage", Json::array()}};
  }

  HttpResponse infer(const HttpRequest& request, const Route& route) {
    const ServedModel model = model_of(route);
    RunningModel& running = model.run();
    const Tensors& tensors = running.library.tensors();
    const std::string length = "Inference-Header-Content-Length";
    std::size_t json_size = request.body.size();
    if (request.headers.has(length)) {
      const std::string_view text = request.headers[length];
      if (!is_size(text)) throw BadRequest(length + " is \"" + shown(text, 20) + "\", expected a number of bytes");
      json_size = std::stoul(std::string(text));
    }
    InferenceRequest asked = parse_inference(request.body, json_size, tensors, running.queue.options().max_batch);
    HttpResponse response{.memory = memory_for(answer_bytes(asked, tensors))};
    const std::vector<float> y = outputs(running, asked);
    std::size_t json_part = 0;
    response.body = inference_answer(asked, model.name, model.version, tensors, y, json_part);
    if (json_part == 0) return response;
    response.headers.add(length, std::to_string(json_part));
    response.type = "application/octet-stream";
    return response;
  }
  std::shared_ptr<BodyMemory::Part> memory_for(std::size_t bytes) const {
    check_answer(bytes, memory_.most());
    auto part = std::make_shared<BodyMemory::Part>(memory_);
    if (!part->grow_to(bytes))
      throw sinter::RequestError(sinter::RequestStatus::queue_full,
                                 "others have large answers or bodies just now; send this request again later");
    return part;
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

  HttpResponse index(const HttpRequest& request, const Route&) {
    const Json asked = object_in(request.body);
    const auto ready = asked.find("ready");
    if (ready != asked.end() && !ready->is_boolean())
      throw BadRequest("\"ready\" is " + shown_json(*ready, 40) + ", expected true or false");
    const bool running_alone = ready != asked.end() && *ready;
    Json all = Json::array();
    for (const ServedModel& model : models_.all())
      if (model.running || !running_alone)
        all.push_back({{"name", model.name},
                       {"version", model.version},
                       {"state", model.running ? "READY" : "UNAVAILABLE"},
                       {"reason", model.problem}});
    return json_response(all);
  }
  HttpResponse load(const HttpRequest& request, const Route& route) {
    check_load(request.body);
    models_.load(route.name);
    return json_response(Json::object());
  }
  /// A small JSON object, or an empty one where there is no body.
  static Json object_in(std::string_view body) {
    if (trimmed(body).empty()) return Json::object();
    detail::check_json(body, 1000);
    Json json = Json::parse(body, nullptr, false);
    if (!json.is_object()) throw BadRequest("the body is not a JSON object: " + shown(body, 40));
    return json;
  }
  static void check_load(std::string_view body) {
    const Json json = object_in(body);
    const auto parameters = json.find("parameters");
    if (parameters == json.end() || parameters->empty()) return;
    refuse_load(parameters->is_object() ? parameters->begin().key() : shown_json(*parameters, 40));
  }
  HttpResponse unload(const HttpRequest&, const Route& route) {
    models_.unload(route.name);
    return json_response(Json::object());
  }

  Models& models_;
  const AccessLog& log_;
  const Messages& messages_;
  BodyMemory& memory_;
  const HostNames hosts_;
  const std::string token_;
  std::map<std::string, Handler, std::less<>> handlers_;
};

}  // namespace sinter_serve
