// SPDX-License-Identifier: MIT
#pragma once

/// For a source file that is compiled to a shared library with a C interface, once for each instruction set, by CMake's
/// sinter_add_model_library or by tools/model_library; or for one, by g++ -shared -DSINTER_LIBRARY_NAME=digits. It
/// names a model:
///
///     #include <sinter/library.hpp>
///     struct Digits : sinter::Sequential<..> {};
///     SINTER_MODEL_LIBRARY(Digits)

// First what may refuse a compiler.
#include "sinter/core/macros.hpp"
// The rest.
#include <cstddef>
#include <cstdint>

#include "sinter/inference.hpp"
#if !defined(SINTER_LIBRARY_PART)
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/cpp_name.hpp"
#include "sinter/core/type_name.hpp"
#include "sinter/io/library_interface.hpp"
#include "sinter/io/load.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What is compiled for one instruction set.
struct LibraryPart {
  const char* name;           // as -march= takes it
  std::size_t workspace = 0;  // in floats, for `library_rows` rows
  void (*forward)(const float* parameters, const float* x, std::size_t rows, Normalize normalize, float* workspace,
                  float* y) = nullptr;
};
inline constexpr std::size_t library_rows = 64;

template <class Model, class Isa>
struct LibraryKernels {
  using Inference = HostInference<Model, float, Isa>;
  static constexpr typename Inference::Memory parts{library_rows};
  static void forward(const float* parameters, const float* x, std::size_t rows, Normalize normalize, float* workspace,
                      float* y) {
    using Rows = TensorView<const float, typename Model::InputRow>;
    Inference::forward(parameters, BatchInputs<Rows>{Rows{x, rows}, {}, normalize}, rows, parts, workspace, y);
  }
};
template <class Model, class Isa = isa::Native>
constexpr LibraryPart library_part(const char* name) {
  using Kernels = LibraryKernels<Model, Isa>;
  return {name, Kernels::parts.size, &Kernels::forward};
}

#if !defined(SINTER_LIBRARY_PART)

/// Memory for the forward passes of one thread.
struct LibraryWorkspace {
  AlignedArray<float> numbers;
};

/// A model with its weights, what its file says of the inputs' scale, and the part that computes it. One of them serves
/// many threads.
template <class Model>
class LibraryModel {
 public:
  LibraryModel(std::span<const std::byte> file, const std::string& path, const LibraryPart& part) : part_(part) {
    const Loaded loaded = load(net_, file, {.partial = true}, path);
    if (const std::string problem = loaded.problem(); !problem.empty())
      fail(joined({path, " does not fit the network of this library: ", problem,
                   "; give it the weights of that network, or compile the library of the network that they are of"}));
    if (const std::size_t names = loaded.about.classes.size(); names != 0 && names != outputs)
      fail(joined({path, " names ", names, " classes, and the network of this library has ", outputs,
                   " outputs; save the weights again with a name for each"}));
    check_head_classes_of<Model>(loaded.about.head_classes, path + " has");
    if (loaded.about.columns)
      loaded.about.columns->template check<float>(static_cast<std::size_t>(Model::InputRow::dims.channels));
    if (loaded.about.normalize) normalize_ = *loaded.about.normalize;
    columns_ = loaded.about.columns;
    classes_ = loaded.about.classes;
    head_classes_ = loaded.about.head_classes;
    self_tested_ = loaded.self_tested;
  }
  LibraryModel(const LibraryModel&) = delete;
  LibraryModel& operator=(const LibraryModel&) = delete;
  ~LibraryModel() { delete spare_.load(); }

  const char* isa() const { return part_.name; }
  bool self_tested() const { return self_tested_; }
  const char* class_name(std::size_t output) const {
    return output < classes_.size() ? classes_[output].c_str() : nullptr;
  }
  /// Of a head, or of the one output.
  const char* class_of_output(std::size_t output, std::size_t number) const {
    constexpr auto& parts = output_parts<Model>;
    if (output >= parts.size()) return nullptr;
    if (head_count<Model> == 0) return class_name(number);
    const std::string head = parts[output].name.empty() ? std::to_string(output) : std::string(parts[output].name);
    for (const HeadClasses& one : head_classes_)
      if (one.head == head && number < one.names.size()) return one.names[number].c_str();
    return nullptr;
  }
  std::unique_ptr<LibraryWorkspace> workspace() const {
    return std::make_unique<LibraryWorkspace>(LibraryWorkspace{AlignedArray<float>(workspace_size())});
  }
  void predict(const float* x, std::size_t rows, float* y) const {
    // One workspace is kept for the next call; calls at the same time make their own.
    std::unique_ptr<LibraryWorkspace> own(spare_.exchange(nullptr));
    if (!own) own = workspace();
    predict(x, rows, own.get(), y);
    delete spare_.exchange(own.release());
  }
  void predict(const float* x, std::size_t rows, LibraryWorkspace* workspace, float* y) const {
    if (rows > 0 && (!x || !y)) fail("no rows were given, or no room for the outputs");
    if (!workspace || workspace->numbers.size() < workspace_size())
      fail("no workspace was given, or one of another model; open one for this model");
    constexpr std::size_t most = PTRDIFF_MAX / sizeof(float) / (inputs > outputs ? inputs : outputs);
    if (rows > most)  // -1 is a large number here
      fail("outputs of " + std::to_string(rows) + " rows were asked for; no machine has that memory");
    float* const numbers = workspace->numbers.data();
    for (std::size_t row = 0; row < rows; row += library_rows) {
      const std::size_t count = rows - row < library_rows ? rows - row : library_rows;
      const float* from = x + row * inputs;
      if (columns_) {
        float* const scaled = numbers + part_.workspace;
        std::copy_n(from, count * inputs, scaled);
        columns_->apply(TensorView<float, typename Model::InputRow>{scaled, count});
        from = scaled;
      }
      part_.forward(net_.data(), from, count, normalize_, numbers, y + row * outputs);
    }
  }

 private:
  static constexpr std::size_t inputs = Model::InputRow::size, outputs = Model::OutputRow::size;
  std::size_t workspace_size() const { return part_.workspace + (columns_ ? library_rows * inputs : 0); }

  Network<Model> net_;
  Normalize normalize_;
  std::optional<NormalizeColumns> columns_;
  std::vector<std::string> classes_;
  std::vector<HeadClasses> head_classes_;
  bool self_tested_ = false;
  const LibraryPart& part_;
  mutable std::atomic<LibraryWorkspace*> spare_{nullptr};
};

/// The last part that this machine runs, or the one that the environment variable SINTER_ISA names. `parts` begins with
/// the one that runs everywhere.
SINTER_COLD inline const LibraryPart& chosen_part(std::span<const LibraryPart* const> parts) {
  const auto runs = [&](const LibraryPart& part) {
#if defined(__x86_64__)
    const std::string_view name = part.name;
    if (name == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3") != 0;
    if (name == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4") != 0;
#endif
    return &part == parts[0];
  };
  const char* const wanted = std::getenv("SINTER_ISA");
  std::string known;
  const LibraryPart* chosen = nullptr;
  for (const LibraryPart* part : parts) {
    known += std::string(known.empty() ? "" : ", ") + part->name;
    if (runs(*part) && (!wanted || std::string_view(wanted) == part->name)) chosen = part;
  }
  if (!chosen && !wanted)
    fail("this machine cannot run any part of this library, which has " + known +
         "; compile it for this machine, or by tools/model_library for every one");
  if (!chosen)
    fail("SINTER_ISA is \"" + std::string(wanted) +
         "\", which this library or this machine does not have; the library has " + known);
  return *chosen;
}

#endif

}  // namespace detail

SINTER_NAMESPACE_END

#define SINTER_LIBRARY_JOIN_(a, b) a##b
#define SINTER_LIBRARY_JOIN(a, b) SINTER_LIBRARY_JOIN_(a, b)
#define SINTER_LIBRARY_C(name) SINTER_LIBRARY_JOIN(SINTER_LIBRARY_NAME, name)
#define SINTER_LIBRARY_TEXT_(...) #__VA_ARGS__
#define SINTER_LIBRARY_TEXT(name) SINTER_LIBRARY_TEXT_(name)
#define SINTER_LIBRARY_EXPORT extern "C" __attribute__((visibility("default")))

#if !defined(SINTER_LIBRARY_MARCH)  // the instruction set of the compiler options
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512CD__)
#define SINTER_LIBRARY_MARCH "x86-64-v4"
#elif defined(__AVX2__) && defined(__FMA__)
#define SINTER_LIBRARY_MARCH "x86-64-v3"
#elif defined(__x86_64__)
#define SINTER_LIBRARY_MARCH "x86-64"
#else
#define SINTER_LIBRARY_MARCH "native"
#endif
#endif

#if defined(SINTER_LIBRARY_PART)
#define SINTER_MODEL_LIBRARY(Model)                                                             \
  extern const sinter::internal::detail::LibraryPart SINTER_LIBRARY_C(SINTER_LIBRARY_PART);     \
  constinit const sinter::internal::detail::LibraryPart SINTER_LIBRARY_C(SINTER_LIBRARY_PART) = \
      sinter::internal::detail::library_part<sinter::internal::detail::ModelOf<Model>>(SINTER_LIBRARY_MARCH);
#elif defined(SINTER_LIBRARY_NAME)
static_assert(sinter::internal::is_name_of_library(SINTER_LIBRARY_TEXT(SINTER_LIBRARY_NAME)),
              "sinter: C has this name of a model library, or functions that begin with it: give it another one");
#if defined(SINTER_LIBRARY_X86)
#define SINTER_LIBRARY_DECLARE_PARTS \
  extern const sinter::internal::detail::LibraryPart SINTER_LIBRARY_C(_part_v3), SINTER_LIBRARY_C(_part_v4);
#define SINTER_LIBRARY_MORE_PARTS , &SINTER_LIBRARY_C(_part_v3), &SINTER_LIBRARY_C(_part_v4)
#else
#define SINTER_LIBRARY_DECLARE_PARTS
#define SINTER_LIBRARY_MORE_PARTS
#endif
#define SINTER_MODEL_LIBRARY(Model)                                                                                   \
  SINTER_LIBRARY_DECLARE_PARTS                                                                                        \
  using SINTER_LIBRARY_C(_model) = sinter::internal::detail::LibraryModel<sinter::internal::detail::ModelOf<Model>>;  \
  using SINTER_LIBRARY_C(_workspace) = sinter::internal::detail::LibraryWorkspace;                                    \
  namespace {                                                                                                         \
  const sinter::internal::detail::LibraryPart& SINTER_LIBRARY_C(_part_here)() {                                       \
    static constexpr auto base =                                                                                      \
        sinter::internal::detail::library_part<sinter::internal::detail::ModelOf<Model>>(SINTER_LIBRARY_MARCH);       \
    static constexpr const sinter::internal::detail::LibraryPart* parts[] = {&base SINTER_LIBRARY_MORE_PARTS};        \
    return sinter::internal::detail::chosen_part(parts);                                                              \
  }                                                                                                                   \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT unsigned SINTER_LIBRARY_C(_interface)() {                                                     \
    return sinter::internal::detail::library_interface;                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_network)() {                                                    \
    return sinter::internal::detail::TypeName<Model>::text.data();                                                    \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_inputs)() { return Model::InputRow::size; }                     \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_outputs)() { return Model::OutputRow::size; }                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_input_name)() { return "input"; }                               \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_output_name)() { return "output"; }                             \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_input_shape)(std::size_t* sizes) {                              \
    return sinter::internal::detail::library_shape(Model::InputRow::dims, sizes);                                     \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_output_shape)(std::size_t* sizes) {                             \
    return sinter::internal::detail::library_shape(Model::OutputRow::dims, sizes);                                    \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_input_count)() { return Model::InputLayer::parts.size(); }      \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_name_of_input)(std::size_t input) {                             \
    return input < Model::InputLayer::parts.size() ? Model::InputLayer::parts[input].name.data() : nullptr;           \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_shape_of_input)(std::size_t input, std::size_t* sizes) {        \
    if (input >= Model::InputLayer::parts.size()) return 0;                                                           \
    return sinter::internal::detail::library_shape(Model::InputLayer::parts[input].dims, sizes);                      \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_output_count)() {                                               \
    return sinter::internal::output_parts<sinter::internal::detail::ModelOf<Model>>.size();                           \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_name_of_output)(std::size_t output) {                           \
    constexpr auto& parts = sinter::internal::output_parts<sinter::internal::detail::ModelOf<Model>>;                 \
    return output < parts.size() ? parts[output].name.data() : nullptr;                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_shape_of_output)(std::size_t output, std::size_t* sizes) {      \
    constexpr auto& parts = sinter::internal::output_parts<sinter::internal::detail::ModelOf<Model>>;                 \
    if (output >= parts.size()) return 0;                                                                             \
    return sinter::internal::detail::library_shape(parts[output].dims, sizes);                                        \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT SINTER_LIBRARY_C(_model) * SINTER_LIBRARY_C(_open)(const char* weights) {                     \
    return sinter::internal::detail::guarded<SINTER_LIBRARY_C(_model)*>(nullptr, [&] {                                \
      const auto file = sinter::internal::detail::library_file(weights);                                              \
      return new SINTER_LIBRARY_C(_model)(file, weights, SINTER_LIBRARY_C(_part_here)());                             \
    });                                                                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT SINTER_LIBRARY_C(_model) *                                                                    \
      SINTER_LIBRARY_C(_open_bytes)(const void* weights, std::size_t size) {                                          \
    return sinter::internal::detail::guarded<SINTER_LIBRARY_C(_model)*>(nullptr, [&] {                                \
      const auto file = sinter::internal::detail::library_bytes(weights, size);                                       \
      return new SINTER_LIBRARY_C(_model)(file, "the file in memory", SINTER_LIBRARY_C(_part_here)());                \
    });                                                                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT int SINTER_LIBRARY_C(_predict)(const SINTER_LIBRARY_C(_model) * model, const float* x,        \
                                                       std::size_t rows, float* y) {                                  \
    return sinter::internal::detail::guarded<int>(-1, [&] {                                                           \
      if (!model) sinter::internal::fail("no model was given; one that could not be opened is NULL");                 \
      model->predict(x, rows, y);                                                                                     \
      return 0;                                                                                                       \
    });                                                                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT SINTER_LIBRARY_C(_workspace) *                                                                \
      SINTER_LIBRARY_C(_workspace_open)(const SINTER_LIBRARY_C(_model) * model) {                                     \
    return sinter::internal::detail::guarded<SINTER_LIBRARY_C(_workspace)*>(nullptr, [&] {                            \
      if (!model) sinter::internal::fail("no model was given; one that could not be opened is NULL");                 \
      return model->workspace().release();                                                                            \
    });                                                                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT int SINTER_LIBRARY_C(_predict_in)(const SINTER_LIBRARY_C(_model) * model, const float* x,     \
                                                          std::size_t rows, SINTER_LIBRARY_C(_workspace) * workspace, \
                                                          float* y) {                                                 \
    return sinter::internal::detail::guarded<int>(-1, [&] {                                                           \
      if (!model) sinter::internal::fail("no model was given; one that could not be opened is NULL");                 \
      model->predict(x, rows, workspace, y);                                                                          \
      return 0;                                                                                                       \
    });                                                                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT void SINTER_LIBRARY_C(_workspace_close)(SINTER_LIBRARY_C(_workspace) * workspace) {           \
    delete workspace;                                                                                                 \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_class_name)(const SINTER_LIBRARY_C(_model) * model,             \
                                                                  std::size_t output) {                               \
    return model ? model->class_name(output) : nullptr;                                                               \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_class_of_output)(const SINTER_LIBRARY_C(_model) * model,        \
                                                                       std::size_t output, std::size_t number) {      \
    return model ? model->class_of_output(output, number) : nullptr;                                                  \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT int SINTER_LIBRARY_C(_self_tested)(const SINTER_LIBRARY_C(_model) * model) {                  \
    return model && model->self_tested();                                                                             \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_error)() {                                                      \
    return sinter::internal::detail::library_error().c_str();                                                         \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_isa)(const SINTER_LIBRARY_C(_model) * model) {                  \
    return model ? model->isa() : "";                                                                                 \
  }                                                                                                                   \
  SINTER_LIBRARY_EXPORT void SINTER_LIBRARY_C(_close)(SINTER_LIBRARY_C(_model) * model) { delete model; }
#else
#define SINTER_MODEL_LIBRARY(Model)                                                                         \
  static_assert(false,                                                                                      \
                "sinter: a model library is compiled by CMake's sinter_add_model_library(name source), by " \
                "tools/model_library NAME SOURCE, or for one instruction set with -DSINTER_LIBRARY_NAME=name");
#endif
