// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sinter/core/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "access_log.hpp"
#include "json_text.hpp"
#include "model_library.hpp"

/// The bodies of requests and answers of the Open Inference Protocol, version 2, with its extension for binary tensors.
namespace sinter_serve {

/// An error of the client: what was given, and what was expected.
struct BadRequest : sinter::Error {
  explicit BadRequest(const std::string& text) : Error(text) {}
};

/// Triton's parameters of a load would replace the files of a model.
[[noreturn]] inline void refuse_load(const std::string& parameter) {
  throw BadRequest("the load has the parameter " + shown(parameter, 40) +
                   "; this server loads the files of its command line, without parameters");
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
/// Fails if parsing a text would take far more memory, or stack, than the text: deep nesting, many small values, or
/// long ones, of which the parser has several copies.
inline void check_json(std::string_view text, std::size_t most_values) {
  constexpr std::size_t most_levels = 32, short_value = 100, most_long = 1 << 20;
  std::size_t levels = 0, values = 0, value = 0, in_long = 0;  // bytes of this value, and of those that are long
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((quoted || c > ' ') && ++value > short_value && ++in_long > most_long)
      throw BadRequest("the JSON has more than " + std::to_string(most_long) +
                       " bytes in long strings and numbers, which no request needs");
    if (c == '\0') throw BadRequest("the body is not a JSON object: it has a zero byte");  // where its parser would end
    if (c == '"') quoted = !quoted;
    if (quoted) {
      if (c == '\\') ++i;
      continue;
    }
    const bool opens = c == '[' || c == '{';
    if (opens && ++levels > most_levels)
      throw BadRequest("the JSON has arrays and objects in others of more than " + std::to_string(most_levels) +
                       " levels");
    const bool closes = c == ']' || c == '}';
    if (closes && levels > 0) --levels;
    if (opens || closes || c == ',' || c == ':') value = 0;
    if ((opens || c == ',') && ++values > most_values)
      throw BadRequest("the JSON has more than " + std::to_string(most_values) +
                       " values, which no request to this model needs");
  }
}
inline const Json& member(const Json& object, const char* name, const std::string& of) {
  const auto found = object.find(name);
  if (found == object.end()) throw BadRequest(of + " has no \"" + name + "\"");
  return *found;
}
inline const std::string& text_member(const Json& object, const char* name, const std::string& of) {
  const Json& value = member(object, name, of);
  if (!value.is_string()) throw BadRequest("\"" + std::string(name) + "\" of " + of + " is not a string");
  return value.get_ref<const std::string&>();
}
/// A parameter of an object that may have "parameters"; null if it is not there.
inline const Json& parameter(const Json& object, const char* name, const std::string& of) {
  static const Json none;
  const auto parameters = object.find("parameters");
  if (parameters == object.end() || parameters->is_null()) return none;
  if (!parameters->is_object()) throw BadRequest("\"parameters\" of " + of + " is not an object");
  const auto found = parameters->find(name);
  return found == parameters->end() ? none : *found;
}
inline bool flag(const Json& object, const char* name, const std::string& of, bool otherwise) {
  const Json& value = parameter(object, name, of);
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
    throw BadRequest("\"data\" has something other than numbers and arrays of them: " + shown_json(value, 40));
  const double number = value.get<double>();
  if (bytes ? !(number >= 0 && number <= 255 && std::floor(number) == number)
            : !(std::abs(number) <= std::numeric_limits<float>::max()))
    throw BadRequest("\"data\" has " + shown_json(value, 40) +
                     (bytes ? ", which is not a UINT8" : ", which no FP32 can hold"));
  if (to.size() == most)
    throw BadRequest("\"data\" has more than the " + std::to_string(most) + " numbers of its shape");
  to.push_back(static_cast<float>(number));
}

/// Fails unless the names and the datatype of a request are those of the model. True where its numbers are bytes.
inline bool check_input(const std::string& name, const std::string& type, const Tensors& tensors) {
  if (name != tensors.input)
    throw BadRequest("there is no input \"" + shown(name) + "\"; the model has one, \"" + tensors.input + "\"");
  if (type != "FP32" && type != "UINT8")
    throw BadRequest("the input has the datatype \"" + shown(type, 20) + "\", expected \"FP32\" or \"UINT8\"");
  return type == "UINT8";
}
inline void check_output(const std::string& name, bool classification, const Tensors& tensors) {
  if (name != tensors.output)
    throw BadRequest("there is no output \"" + shown(name) + "\"; the model has one, \"" + tensors.output + "\"");
  if (classification)
    throw BadRequest("the parameter \"classification\" is not supported; take the largest of the output");
}
inline std::chrono::microseconds timeout_of(bool right, std::uint64_t us, const std::string& given) {
  if (!right || us > 3'600'000'000u)
    throw BadRequest("the parameter \"timeout\" is " + shown(given, 40) + ", expected 0 to 3600000000 microseconds");
  return std::chrono::microseconds(us);
}

/// It comes back in the answer, whose memory is counted by its numbers.
inline const std::string& checked_id(const std::string& id) {
  constexpr std::size_t most = 1024;
  if (id.size() > most)
    throw BadRequest("the id has " + std::to_string(id.size()) + " bytes, expected " + std::to_string(most) +
                     " at most");
  return id;
}

constexpr std::size_t shown_of_shape = 60;
/// Rows of an input, after its shape: [rows, sizes of a row..] or [rows, numbers of a row].
/// given() is the shape as text.
template <class Given>
std::size_t rows_of(const std::vector<std::int64_t>& sizes, const Given& given, const Tensors& tensors,
                    std::size_t most_rows) {
  const auto& row = tensors.input_shape;
  const bool fits =
      !sizes.empty() && sizes[0] >= 1 && static_cast<std::uint64_t>(sizes[0]) <= most_rows &&
      (std::equal(sizes.begin() + 1, sizes.end(), row.begin(), row.end(), std::equal_to<std::uint64_t>()) ||
       (sizes.size() == 2 && static_cast<std::uint64_t>(sizes[1]) == tensors.inputs));
  if (!fits)
    throw BadRequest("\"shape\" is " + shown(given(), shown_of_shape) + "; expected " + shape_text(row) +
                     " with 1 to " + std::to_string(most_rows) + " rows");
  return static_cast<std::size_t>(sizes[0]);
}
inline std::size_t rows_of(const Json& shape, const Tensors& tensors, std::size_t most_rows) {
  std::vector<std::int64_t> sizes;
  if (shape.is_array() && shape.size() <= 8)
    for (const Json& size : shape)
      sizes.push_back(size.is_number_unsigned() ? static_cast<std::int64_t>(size.get<std::uint64_t>()) : -1);
  return rows_of(sizes, [&] { return shown_json(shape, shown_of_shape); }, tensors, most_rows);
}

/// The numbers of a tensor in binary.
inline std::vector<float> numbers_of(std::string_view binary, bool bytes) {
  std::vector<float> x(binary.size() / (bytes ? 1 : sizeof(float)));
  if (!bytes)
    std::memcpy(x.data(), binary.data(), x.size() * sizeof(float));
  else
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<unsigned char>(binary[i]));
  return x;
}

}  // namespace detail

/// Reads the request in a body. `json_size` is the value of the header Inference-Header-Content-Length, or the
/// size of the body. Fails with a BadRequest.
inline InferenceRequest parse_inference(std::string_view body, std::size_t json_size, const Tensors& tensors,
                                        std::size_t most_rows) {
  static_assert(std::endian::native == std::endian::little, "binary tensors are copied as they are");
  if (json_size > body.size())
    throw BadRequest("Inference-Header-Content-Length is " + std::to_string(json_size) + ", and the body has " +
                     std::to_string(body.size()) + " bytes");
  detail::check_json(body.substr(0, json_size), 4 * most_rows * tensors.inputs + 1000);
  const Json json = Json::parse(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(json_size), nullptr, false);
  if (json.is_discarded()) throw BadRequest("the body " + shown_wrong(body.substr(0, json_size), 40));
  if (!json.is_object()) throw BadRequest("the body is not a JSON object: " + shown(body.substr(0, json_size), 40));
  std::string_view binary = body.substr(json_size);

  InferenceRequest request;
  if (json.contains("id")) request.id = detail::checked_id(detail::text_member(json, "id", "the request"));
  request.binary_output = detail::flag(json, "binary_data_output", "the request", false);
  if (const Json& timeout = detail::parameter(json, "timeout", "the request"); !timeout.is_null()) {
    const bool right = timeout.is_number_unsigned();
    request.timeout = detail::timeout_of(right, right ? timeout.get<std::uint64_t>() : 0, shown_json(timeout, 40));
  }

  const Json& inputs = detail::member(json, "inputs", "the request");
  const std::string& name = tensors.input;
  if (!inputs.is_array() || inputs.size() != 1 || !inputs[0].is_object())
    throw BadRequest("\"inputs\" is not an array of one tensor; the model has one, \"" + name + "\"");
  const Json& input = inputs[0];
  const std::string of = "the input";
  const bool bytes =
      detail::check_input(detail::text_member(input, "name", of), detail::text_member(input, "datatype", of), tensors);
  request.rows = detail::rows_of(detail::member(input, "shape", of), tensors, most_rows);
  const std::size_t numbers = request.rows * tensors.inputs;

  const Json& binary_size = detail::parameter(input, "binary_data_size", of);
  if (!binary_size.is_null()) {
    const std::size_t wanted = numbers * (bytes ? 1 : sizeof(float));
    if (!binary_size.is_number_unsigned() || binary_size.get<std::size_t>() != wanted)
      throw BadRequest("\"binary_data_size\" is " + shown_json(binary_size, 40) + ", expected " +
                       std::to_string(wanted) + " for this shape");
    if (input.contains("data")) throw BadRequest("the input has both \"data\" and \"binary_data_size\"");
    if (binary.size() != wanted)
      throw BadRequest("after the JSON the body has " + std::to_string(binary.size()) + " bytes, expected " +
                       std::to_string(wanted));
    request.x = detail::numbers_of(binary, bytes);
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
      detail::check_output(detail::text_member((*outputs)[0], "name", "the output"),
                           !detail::parameter((*outputs)[0], "classification", "the output").is_null(), tensors);
      request.binary_output = detail::flag((*outputs)[0], "binary_data", "the output", request.binary_output);
    }
  }
  return request;
}

/// Bytes that the numbers of an answer take in its body, at most.
inline std::size_t answer_bytes(const InferenceRequest& request, const Tensors& tensors) {
  constexpr std::size_t in_json = std::string_view("-1.1754943508222875e-38,").size();
  return request.rows * tensors.outputs * (request.binary_output ? sizeof(float) : in_json);
}
/// Fails with a BadRequest if an answer has more bytes than all together may have.
inline void check_answer(std::size_t bytes, std::size_t most) {
  if (bytes > most)
    throw BadRequest("the answer may have " + std::to_string(bytes) + " bytes, more than the " + std::to_string(most) +
                     " that this server has for all; send fewer rows in a request");
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
  Json answer = {{"model_name", model}, {"model_version", version}, {"outputs", Json::array({std::move(output)})}};
  if (!request.id.empty()) answer["id"] = request.id;
  std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  json_size = request.binary_output ? text.size() : 0;
  if (request.binary_output) text.append(reinterpret_cast<const char*>(y.data()), bytes);
  return text;
}

}  // namespace sinter_serve
