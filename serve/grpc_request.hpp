// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inference.hpp"
#include "inference.pb.h"

/// Requests and answers of the Open Inference Protocol as messages of gRPC.
namespace sinter_serve {

namespace detail {

inline std::string shape_words(const google::protobuf::RepeatedField<std::int64_t>& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.size() && i < 10; ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + (shape.size() > 10 ? ",..]" : "]");
}
inline std::chrono::microseconds timeout_of(const inference::ModelInferRequest& given) {
  const auto found = given.parameters().find("timeout");
  if (found == given.parameters().end()) return {};
  switch (found->second.parameter_choice_case()) {
    case inference::InferParameter::kInt64Param: {
      const std::int64_t us = found->second.int64_param();
      return timeout_of(us >= 0, static_cast<std::uint64_t>(us), std::to_string(us));
    }
    case inference::InferParameter::kUint64Param:
      return timeout_of(true, found->second.uint64_param(), std::to_string(found->second.uint64_param()));
    default:
      return timeout_of(false, 0, "no whole number");
  }
}
/// The numbers of a tensor that are not raw.
inline std::vector<float> contents_of(const inference::InferTensorContents& contents, bool bytes) {
  const int others = contents.bool_contents_size() + contents.int_contents_size() + contents.int64_contents_size() +
                     contents.uint64_contents_size() + contents.fp64_contents_size() + contents.bytes_contents_size() +
                     (bytes ? contents.fp32_contents_size() : contents.uint_contents_size());
  if (others != 0)
    throw BadRequest(std::string("the input has contents of another type than its datatype, expected \"") +
                     (bytes ? "uint_contents" : "fp32_contents") + "\"");
  if (!bytes) return {contents.fp32_contents().begin(), contents.fp32_contents().end()};
  std::vector<float> x;
  x.reserve(static_cast<std::size_t>(contents.uint_contents_size()));
  for (const std::uint32_t byte : contents.uint_contents()) {
    if (byte > 255) throw BadRequest("\"uint_contents\" has " + std::to_string(byte) + ", which is not a UINT8");
    x.push_back(static_cast<float>(byte));
  }
  return x;
}

}  // namespace detail

/// Reads the request in a message. Fails with a BadRequest.
inline InferenceRequest parse_inference(const inference::ModelInferRequest& given, const Tensors& tensors,
                                        std::size_t most_rows) {
  InferenceRequest request;
  request.id = detail::checked_id(given.id());
  request.timeout = detail::timeout_of(given);
  if (given.inputs_size() != 1)
    throw BadRequest("the request has " + std::to_string(given.inputs_size()) + " inputs; the model has one, \"" +
                     tensors.input + "\"");
  const auto& input = given.inputs(0);
  const bool bytes = detail::check_input(input.name(), input.datatype(), tensors);
  request.rows = detail::rows_of(
      {input.shape().begin(), input.shape().end()}, [&] { return detail::shape_words(input.shape()); }, tensors,
      most_rows);
  const std::size_t numbers = request.rows * tensors.inputs;

  request.binary_output = given.raw_input_contents_size() != 0;
  if (request.binary_output) {
    const std::size_t wanted = numbers * (bytes ? 1 : sizeof(float));
    if (given.raw_input_contents_size() != 1)
      throw BadRequest("\"raw_input_contents\" has " + std::to_string(given.raw_input_contents_size()) +
                       " tensors, and the request has one");
    if (input.has_contents()) throw BadRequest("the input has both \"contents\" and \"raw_input_contents\"");
    const std::string& raw = given.raw_input_contents(0);
    if (raw.size() != wanted)
      throw BadRequest("\"raw_input_contents\" has " + std::to_string(raw.size()) + " bytes, expected " +
                       std::to_string(wanted) + " for this shape");
    request.x = detail::numbers_of(raw, bytes);
  } else {
    request.x = detail::contents_of(input.contents(), bytes);
    if (request.x.size() != numbers)
      throw BadRequest("\"contents\" has " + std::to_string(request.x.size()) + " numbers, expected " +
                       std::to_string(numbers) + " for this shape");
  }

  if (given.outputs_size() > 1)
    throw BadRequest("the request asks for " + std::to_string(given.outputs_size()) +
                     " outputs; the model has one, \"" + tensors.output + "\"");
  for (const auto& output : given.outputs())
    detail::check_output(output.name(), output.parameters().contains("classification"), tensors);
  return request;
}

/// The answer to a request; raw where its input was.
inline void set_answer(inference::ModelInferResponse& answer, const std::string& model, const std::string& version,
                       const std::string& id, bool raw, const Tensors& tensors, std::size_t rows, const float* y) {
  answer.set_model_name(model);
  answer.set_model_version(version);
  answer.set_id(id);
  auto& output = *answer.add_outputs();
  output.set_name(tensors.output);
  output.set_datatype("FP32");
  output.add_shape(static_cast<std::int64_t>(rows));
  for (const std::size_t size : tensors.output_shape) output.add_shape(static_cast<std::int64_t>(size));
  const std::size_t count = rows * tensors.outputs;
  if (raw)
    answer.add_raw_output_contents(y, count * sizeof(float));
  else
    output.mutable_contents()->mutable_fp32_contents()->Add(y, y + count);
}

}  // namespace sinter_serve
