// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "inference.pb.h"
#include "model_statistics.hpp"
#include "models.hpp"

/// What the server says about a model, as messages of gRPC.
namespace sinter_serve {

/// As Triton's configuration of a model.
inline void set_config(inference::ModelConfig& config, const ServedModel& model) {
  const RunningModel& running = model.run();
  const Tensors& tensors = running.library.tensors();
  const auto& options = running.queue.options();
  config.set_name(model.name);
  config.set_platform(std::string("sinter_") + running.library.isa(running.weights().get()));
  config.set_backend("sinter");
  config.set_max_batch_size(static_cast<int>(options.max_batch));
  const auto set = [](auto& tensor, const std::string& name, const std::vector<std::size_t>& row) {
    tensor.set_name(name);
    tensor.set_data_type(inference::TYPE_FP32);
    for (const std::size_t size : row) tensor.add_dims(static_cast<std::int64_t>(size));
  };
  set(*config.add_input(), tensors.input, tensors.input_shape);
  set(*config.add_output(), tensors.output, tensors.output_shape);
  auto& group = *config.add_instance_group();
  group.set_name(model.name);
  group.set_kind(inference::ModelInstanceGroup::KIND_CPU);
  group.set_count(static_cast<int>(options.workers));
  config.mutable_dynamic_batching()->set_max_queue_delay_microseconds(
      static_cast<std::uint64_t>(options.max_delay.count()));
}

inline void set_statistics(inference::ModelStatistics& to, const ServedModel& model) {
  const ModelStatistics now(model.run());
  to.set_name(model.name);
  to.set_version(model.version);
  to.set_last_inference(now.last);
  to.set_inference_count(now.rows);
  to.set_execution_count(now.batches);
  const auto set = [](inference::StatisticDuration& one, const RequestTimes::Sum& sum) {
    one.set_count(sum.count);
    one.set_ns(sum.ns);
  };
  inference::InferStatistics& times = *to.mutable_inference_stats();
  set(*times.mutable_success(), now.success);
  set(*times.mutable_fail(), now.fail);
  set(*times.mutable_queue(), now.queue);
  set(*times.mutable_compute_input(), {now.compute.count, 0});
  set(*times.mutable_compute_infer(), now.compute);
  set(*times.mutable_compute_output(), {now.compute.count, 0});
}

}  // namespace sinter_serve
