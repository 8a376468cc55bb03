// SPDX-License-Identifier: MIT
// onnxruntime as a model library for sinter-serve: its "weights" are an ONNX file with the input "x" and the output "y". The wheel of
// PyPI has its shared library and no headers: the functions are named by their place in its table, which no version changes.
// Compiled for each network, with LIBRARY (its name), INPUT_SHAPE and OUTPUTS.
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

extern "C" {
struct OrtApiBase {
  const void* const* (*api)(std::uint32_t version);
  const char* (*version)();
};
const OrtApiBase* OrtGetApiBase();
}

namespace {

enum Place {
  get_error_message = 2,
  create_env = 3,
  create_session_from_array = 8,
  run_session = 9,
  create_session_options = 10,
  set_graph_optimization_level = 23,
  set_intra_op_threads = 24,
  create_tensor_with_data = 49,
  create_cpu_memory_info = 69,
  release_status = 93,
  release_session = 95,
  release_value = 96
};
thread_local std::string problem;

template <class Result = void*, class... Arguments>
Result call(Place place, Arguments... arguments) {
  static const void* const* const table = OrtGetApiBase()->api(14);
  using Function = Result (*)(Arguments...);
  return reinterpret_cast<Function>(const_cast<void*>(table[place]))(arguments...);
}
/// Whether a call succeeded; its error is kept.
bool right(void* status) {
  if (!status) return true;
  problem = call<const char*>(get_error_message, status);
  call<void>(release_status, status);
  return false;
}

constexpr std::size_t row[] = {INPUT_SHAPE};
constexpr std::size_t sizes = sizeof row / sizeof *row;
constexpr std::size_t numbers() {
  std::size_t product = 1;
  for (const std::size_t size : row) product *= size;
  return product;
}

}  // namespace

struct Model {
  void *environment = nullptr, *options = nullptr, *session = nullptr, *memory = nullptr;
};

#define NAMED(function) JOINED(LIBRARY, function)
#define JOINED(library, function) JOINED_TEXT(library, function)
#define JOINED_TEXT(library, function) library##_##function

extern "C" {
unsigned NAMED(interface)() { return 2; }
const char* NAMED(network)() { return "onnxruntime"; }
const char* NAMED(input_name)() { return "input"; }
const char* NAMED(output_name)() { return "output"; }
std::size_t NAMED(inputs)() { return numbers(); }
std::size_t NAMED(outputs)() { return OUTPUTS; }
std::size_t NAMED(input_shape)(std::size_t* to) {
  for (std::size_t i = 0; i < sizes; ++i) to[i] = row[i];
  return sizes;
}
std::size_t NAMED(output_shape)(std::size_t* to) {
  to[0] = OUTPUTS;
  return 1;
}
const char* NAMED(error)() { return problem.c_str(); }
const char* NAMED(isa)(const Model*) { return OrtGetApiBase()->version(); }
const char* NAMED(class_name)(const Model*, std::size_t) { return nullptr; }
int NAMED(self_tested)(const Model*) { return 0; }

Model* NAMED(open_bytes)(const void* file, std::size_t size) {
  Model model;
  if (!right(call(create_env, 3, static_cast<const char*>("serving"), &model.environment)) ||
      !right(call(create_session_options, &model.options)) ||
      !right(call(set_graph_optimization_level, model.options, 99)) ||
      !right(call(set_intra_op_threads, model.options, 1)) ||  // threads are the workers of the server
      !right(call(create_session_from_array, model.environment, file, size, model.options, &model.session)) ||
      !right(call(create_cpu_memory_info, 1, 0, &model.memory)))
    return nullptr;
  return new (std::nothrow) Model(model);
}
void NAMED(close)(Model* model) {
  if (model) call<void>(release_session, model->session);
  delete model;
}
void* NAMED(workspace_open)(const Model* model) { return const_cast<Model*>(model); }
void NAMED(workspace_close)(void*) {}
int NAMED(predict_in)(const Model* model, const float* x, std::size_t rows, void*, float* y) {
  std::int64_t x_shape[sizes + 1] = {static_cast<std::int64_t>(rows)}, y_shape[2] = {x_shape[0], OUTPUTS};
  for (std::size_t i = 0; i < sizes; ++i) x_shape[i + 1] = static_cast<std::int64_t>(row[i]);
  void *input = nullptr, *output = nullptr;
  const char *input_name = "x", *output_name = "y";
  const void* const memory = model->memory;
  const bool done =
      right(call(create_tensor_with_data, memory, const_cast<float*>(x), rows * numbers() * sizeof(float),
                 static_cast<const std::int64_t*>(x_shape), sizes + 1, 1, &input)) &&
      right(call(create_tensor_with_data, memory, y, rows * OUTPUTS * sizeof(float),
                 static_cast<const std::int64_t*>(y_shape), std::size_t{2}, 1, &output)) &&
      right(call(run_session, model->session, static_cast<const void*>(nullptr), &input_name,
                 static_cast<void* const*>(&input), std::size_t{1}, &output_name, std::size_t{1}, &output));
  call<void>(release_value, input);
  call<void>(release_value, output);
  return done ? 0 : -1;
}
}
