// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "access_log.hpp"
#include "messages.hpp"
#include "models.hpp"

namespace sinter_serve {

/// All counters in Prometheus' text format. Where Triton's server has a counter, the name is its own.
inline std::string metrics_text(const Models& models, const AccessLog& log, const Messages& messages) {
  using sinter::RequestStatus;
  using sinter::internal::LatencyHistogram;
  struct Row {
    std::string labels;
    sinter::BatcherStatistics now;
  };
  std::vector<Row> rows;
  for (const ServedModel& model : models.all())
    if (model.running)
      rows.push_back(
          {"model=\"" + model.name + "\",version=\"" + model.version + "\"", model.running->queue.statistics()});

  std::string text;
  const auto head = [&](const std::string& name, const char* help, const char* type) {
    text += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  };
  const auto each = [&](const char* name, const char* help, const char* type, auto value) {
    head(name, help, type);
    for (const Row& row : rows)
      text += std::string(name) + "{" + row.labels + "} " + std::to_string(value(row.now)) + "\n";
  };
  using S = const sinter::BatcherStatistics&;
  const auto us = [](LatencyHistogram::Duration sum) {
    return std::chrono::duration_cast<std::chrono::microseconds>(sum).count();
  };
  each("nv_inference_request_success", "Requests that were answered", "counter",
       [](S s) { return s[RequestStatus::answered]; });
  head("nv_inference_request_failure", "Requests that were not answered, by reason", "counter");
  for (const Row& row : rows)
    for (const auto& [status, reason] : {std::pair{RequestStatus::queue_full, "REJECTED"},
                                         {RequestStatus::deadline_exceeded, "TIMEOUT"},
                                         {RequestStatus::cancelled, "CANCELED"},
                                         {RequestStatus::stopped, "STOPPED"},
                                         {RequestStatus::failed, "BACKEND"}})
      text += "nv_inference_request_failure{" + row.labels + ",reason=\"" + reason + "\"} " +
              std::to_string(row.now[status]) + "\n";
  each("nv_inference_count", "Rows that were computed", "counter", [](S s) { return s.rows; });
  each("nv_inference_exec_count", "Batches that were computed", "counter", [](S s) { return s.batches; });
  each("nv_inference_queue_duration_us", "Microseconds that requests waited", "counter",
       [&](S s) { return us(s.waiting.sum()); });
  each("nv_inference_compute_infer_duration_us", "Microseconds of computing batches", "counter",
       [&](S s) { return us(s.computing.sum()); });
  each("sinter_waiting_rows", "Rows that wait now", "gauge", [](S s) { return s.waiting_rows; });

  const auto histogram = [&](const std::string& name, const char* help,
                             const LatencyHistogram sinter::BatcherStatistics::* which) {
    head(name, help, "histogram");
    for (const Row& row : rows) {
      const LatencyHistogram& of = row.now.*which;
      char line[64];
      for (double seconds = 1e-6; seconds < 20; seconds *= 4) {
        std::snprintf(line, sizeof line, "%.9g", seconds);
        text += name + "_bucket{" + row.labels + ",le=\"" + line + "\"} " +
                std::to_string(of.count_up_to(LatencyHistogram::Duration(static_cast<std::int64_t>(seconds * 1e9)))) +
                "\n";
      }
      const std::string count = std::to_string(of.count());
      std::snprintf(line, sizeof line, "%.9f", std::chrono::duration<double>(of.sum()).count());
      text += name + "_bucket{" + row.labels + ",le=\"+Inf\"} " + count + "\n" + name + "_sum{" + row.labels + "} " +
              line + "\n" + name + "_count{" + row.labels + "} " + count + "\n";
    }
  };
  histogram("sinter_queue_seconds", "How long requests waited", &sinter::BatcherStatistics::waiting);
  histogram("sinter_compute_seconds", "How long batches were computed", &sinter::BatcherStatistics::computing);

  head("sinter_model_ready", "1 where a model is running", "gauge");
  for (const ServedModel& model : models.all())
    text += "sinter_model_ready{model=\"" + model.name + "\",version=\"" + model.version + "\"} " +
            (model.running ? "1" : "0") + "\n";
  const auto statuses = [&](const std::string& name, const char* help, const AccessLog::Counts& counts) {
    head(name, help, "counter");
    for (const auto& [status, count] : counts)
      text += name + "{status=\"" + status + "\"} " + std::to_string(count) + "\n";
  };
  head("sinter_log_lines_dropped", "Lines of the log that nobody read in time", "counter");
  text += "sinter_log_lines_dropped " + std::to_string(log.dropped()) + "\n";
  head("sinter_messages_dropped", "Messages on the standard error that nobody read in time", "counter");
  text += "sinter_messages_dropped " + std::to_string(messages.dropped()) + "\n";
  statuses("sinter_http_responses", "Answers by HTTP, by their status", log.http());
  statuses("sinter_grpc_responses", "Answers by gRPC, by their status", log.grpc());
  return text;
}

}  // namespace sinter_serve
