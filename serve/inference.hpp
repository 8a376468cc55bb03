// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <sinter/core/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model_library.hpp"

/// The bodies of requests and answers of the Open Inference Protocol, version 2, with its extension for binary tensors.
namespace sinter_serve {

using Json = nlohmann::json;

/// A mistake of the client's: what was given, and what was expected.
struct BadRequest : sinter::Error {
  explicit BadRequest(const std::string& text) : Error(text) {}
};

/// Text of a client in a message: at most so many characters, without what is not printed.
inline std::string shown(std::string_view text, std::size_t most = 80) {
  std::string clean(text.substr(0, most));
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return text.size() > most ? clean + ".." : clean;
}

struct InferenceRequest {
  std::string id;
  std::vector<float> x;
  std::size_t rows = 0;
  bool binary_output = false;
  std::chrono::microseconds timeout{0};  // 0: none
};

namespace detail {

inline std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[rows";
  for (const std::size_t size : shape) text += ", " + std::to_string(size);
  return text + "]";
}
inline const Json& member(const Json& object, const char* name, const std::string& of) {
  const auto found = object.find(name);
  if (found == object.end()) throw BadRequest(of + " has no \"" + name + "\"");
  return *found;
}
inline std::string text_member(const Json& object, const char* name, const std::string& of) {
  const Json& value = member(object, name, of);
  if (!value.is_string()) throw BadRequest("\"" + std::string(name) + "\" of " + of + " is no string");
  return value.get<std::string>();
}
/// A parameter of an object that may have "parameters"; null if it is not there.
inline Json parameter(const Json& object, const char* name, const std::string& of) {
  const auto parameters = object.find("parameters");
  if (parameters == object.end() || parameters->is_null()) return nullptr;
  if (!parameters->is_object()) throw BadRequest("\"parameters\" of " + of + " is no object");
  const auto found = parameters->find(name);
  return found == parameters->end() ? Json(nullptr) : *found;
}
inline bool flag(const Json& object, const char* name, const std::string& of, bool otherwise) {
  const Json value = parameter(object, name, of);
  if (value.is_null()) return otherwise;
  if (!value.is_boolean())
    throw BadRequest("the parameter \"" + std::string(name) + "\" of " + of + " is not true or false");
  return value.get<bool>();
}
/// Numbers in arrays of arrays, in their order.
inline void flatten(const Json& value, std::vector<float>& to, std::size_t most, int depth, bool bytes) {
  if (value.is_array()) {
    if (depth == 6) throw BadRequest("\"data\" has arrays in arrays of more than 6 levels");
    for (const Json& part : value) flatten(part, to, most, depth + 1, bytes);
    return;
  }
  if (!value.is_number())
    throw BadRequest("\"data\" has something other than numbers and arrays of them: " +
                     shown(value.dump(-1, ' ', true, Json::error_handler_t::replace), 40));
  const double number = value.get<double>();
  if (bytes ? !(number >= 0 && number <= 255 && std::floor(number) == number)
            : !(std::abs(number) <= std::numeric_limits<float>::max()))
    throw BadRequest("\"data\" has " + shown(value.dump(), 40) +
                     (bytes ? ", which is no UINT8" : ", which no FP32 can hold"));
  if (to.size() == most)
    throw BadRequest("\"data\" has more than the " + std::to_string(most) + " numbers of its shape");
  to.push_back(static_cast<float>(number));
}

/// Rows of an input, after its shape: [rows, sizes of a row..] or [rows, numbers of a row].
inline std::size_t rows_of(const Json& shape, const std::vector<std::size_t>& row, std::size_t numbers,
                           std::size_t most_rows) {
  const std::string expected = "expected " + shape_text(row) + " with 1 to " + std::to_string(most_rows) + " rows";
  if (!shape.is_array()) throw BadRequest("\"shape\" is no array; " + expected);
  std::vector<std::size_t> sizes;
  for (const Json& size : shape) {
    if (!size.is_number_unsigned() || sizes.size() == 8)
      throw BadRequest("\"shape\" is " + shown(shape.dump(), 60) + "; " + expected);
    sizes.push_back(size.get<std::size_t>());
  }
  const bool fits = !sizes.empty() && sizes[0] >= 1 && sizes[0] <= most_rows &&
                    (std::vector(sizes.begin() + 1, sizes.end()) == row || (sizes.size() == 2 && sizes[1] == numbers));
  if (!fits) throw BadRequest("\"shape\" is " + shown(shape.dump(), 60) + "; " + expected);
  return sizes[0];
}

}  // namespace detail

/// What the body of a request asks for. `json_size` is the value of the header Inference-Header-Content-Length, or the
/// size of the body. Fails with a BadRequest.
inline InferenceRequest parse_inference(std::string_view body, std::size_t json_size, const Tensors& tensors,
                                        std::size_t most_rows) {
  static_assert(std::endian::native == std::endian::little, "binary tensors are copied as they are");
  if (json_size > body.size())
    throw BadRequest("Inference-Header-Content-Length is " + std::to_string(json_size) + ", and the body has " +
                     std::to_string(body.size()) + " bytes");
  const Json json = Json::parse(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(json_size), nullptr, false);
  if (!json.is_object()) throw BadRequest("the body is no JSON object: " + shown(body.substr(0, json_size), 40));
  std::string_view binary = body.substr(json_size);

  InferenceRequest request;
  if (json.contains("id")) request.id = detail::text_member(json, "id", "the request");
  request.binary_output = detail::flag(json, "binary_data_output", "the request", false);
  if (const Json timeout = detail::parameter(json, "timeout", "the request"); !timeout.is_null()) {
    if (!timeout.is_number_unsigned() || timeout.get<std::uint64_t>() > 3'600'000'000u)
      throw BadRequest("the parameter \"timeout\" is " + shown(timeout.dump(), 40) +
                       ", expected 0 to 3600000000 microseconds");
    request.timeout = std::chrono::microseconds(timeout.get<std::uint64_t>());
  }

  const Json& inputs = detail::member(json, "inputs", "the request");
  const std::string& name = tensors.input;
  if (!inputs.is_array() || inputs.size() != 1 || !inputs[0].is_object())
    throw BadRequest("\"inputs\" is not an array of one tensor; the model has one, \"" + name + "\"");
  const Json& input = inputs[0];
  const std::string of = "the input";
  if (const std::string given = detail::text_member(input, "name", of); given != name)
    throw BadRequest("there is no input \"" + shown(given) + "\"; the model has one, \"" + name + "\"");
  const std::string type = detail::text_member(input, "datatype", of);
  if (type != "FP32" && type != "UINT8")
    throw BadRequest("the input has the datatype \"" + shown(type, 20) + "\", expected \"FP32\" or \"UINT8\"");
  const bool bytes = type == "UINT8";
  request.rows = detail::rows_of(detail::member(input, "shape", of), tensors.input_shape, tensors.inputs, most_rows);
  const std::size_t numbers = request.rows * tensors.inputs;

  const Json binary_size = detail::parameter(input, "binary_data_size", of);
  if (!binary_size.is_null()) {
    const std::size_t wanted = numbers * (bytes ? 1 : sizeof(float));
    if (!binary_size.is_number_unsigned() || binary_size.get<std::size_t>() != wanted)
      throw BadRequest("\"binary_data_size\" is " + shown(binary_size.dump(), 40) + ", expected " +
                       std::to_string(wanted) + " for this shape");
    if (input.contains("data")) throw BadRequest("the input has both \"data\" and \"binary_data_size\"");
    if (binary.size() != wanted)
      throw BadRequest("after the JSON the body has " + std::to_string(binary.size()) + " bytes, expected " +
                       std::to_string(wanted));
    request.x.resize(numbers);
    if (bytes)
      for (std::size_t i = 0; i < numbers; ++i)
        request.x[i] = static_cast<float>(static_cast<unsigned char>(binary[i]));
    else
      std::memcpy(request.x.data(), binary.data(), wanted);
  } else {
    if (!binary.empty())
      throw BadRequest("after the JSON the body has " + std::to_string(binary.size()) +
                       " bytes, and no input has a \"binary_data_size\"");
    request.x.reserve(numbers);
    detail::flatten(detail::member(input, "data", of), request.x, numbers, 0, bytes);
    if (request.x.size() != numbers)
      throw BadRequest("\"data\" has " + std::to_string(request.x.size()) + " numbers, expected " +
                       std::to_string(numbers) + " for this shape");
  }

  if (const auto outputs = json.find("outputs"); outputs != json.end()) {
    const std::string& output = tensors.output;
    if (!outputs->is_array() || outputs->size() > 1 || (outputs->size() == 1 && !(*outputs)[0].is_object()))
      throw BadRequest("\"outputs\" is not an array of one tensor; the model has one, \"" + output + "\"");
    if (outputs->size() == 1) {
      if (const std::string given = detail::text_member((*outputs)[0], "name", "the output"); given != output)
        throw BadRequest("there is no output \"" + shown(given) + "\"; the model has one, \"" + output + "\"");
      if (!detail::parameter((*outputs)[0], "classification", "the output").is_null())
        throw BadRequest("the parameter \"classification\" is not supported; take the largest of the output");
      request.binary_output = detail::flag((*outputs)[0], "binary_data", "the output", request.binary_output);
    }
  }
  return request;
}

/// The body of an answer. `json_size` becomes the size of its JSON where tensors in binary follow, else 0.
inline std::string inference_answer(const InferenceRequest& request, const std::string& model,
                                    const std::string& version, const Tensors& tensors, const std::vector<float>& y,
                                    std::size_t& json_size) {
  Json shape = {request.rows};
  for (const std::size_t size : tensors.output_shape) shape.push_back(size);
  Json output = {{"name", tensors.output}, {"shape", shape}, {"datatype", "FP32"}};
  const std::size_t bytes = y.size() * sizeof(float);
  if (request.binary_output)
    output["parameters"] = {{"binary_data_size", bytes}};
  else
    output["data"] = y;
  Json answer = {{"model_name", model}, {"model_version", version}, {"outputs", Json::array({output})}};
  if (!request.id.empty()) answer["id"] = request.id;
  std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  json_size = request.binary_output ? text.size() : 0;
  if (request.binary_output) text.append(reinterpret_cast<const char*>(y.data()), bytes);
  return text;
}

}  // namespace sinter_serve
