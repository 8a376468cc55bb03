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

#include "sinter/io/load.hpp"
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

/// A model with its weights, what its file says of the inputs' scale, and the part that computes it. One of them serves
/// many threads.
template <class Model>
class LibraryModel {
 public:
  LibraryModel(const char* path, const LibraryPart& part) : part_(part) {
    if (!path) fail("no path was given; give that of a safetensors file with the weights");
    const Loaded loaded = load(net_, std::string(path), {.partial = true});
    if (const std::string problem = loaded.problem(); !problem.empty())
      fail(joined({path, " does not fit the network of this library: ", problem,
                   "; give it the weights of that network, or compile the library of the network that they are of"}));
    constexpr std::size_t outputs = Model::OutputRow::size;
    if (const std::size_t names = loaded.about.classes.size(); names != 0 && names != outputs)
      fail(joined({path, " names ", names, " classes, and the network of this library has ", outputs,
                   " outputs; save the weights again with a name for each"}));
    if (loaded.about.columns) loaded.about.columns->check(static_cast<std::size_t>(Model::InputRow::dims.channels));
    if (loaded.about.normalize) normalize_ = *loaded.about.normalize;
    columns_ = loaded.about.columns;
  }
  LibraryModel(const LibraryModel&) = delete;
  LibraryModel& operator=(const LibraryModel&) = delete;
  ~LibraryModel() { delete spare_.load(); }

  const char* isa() const { return part_.name; }
  void predict(const float* x, std::size_t rows, float* y) const {
    if (rows > 0 && (!x || !y)) fail("no rows were given, or no room for the outputs");
    constexpr std::size_t inputs = Model::InputRow::size, outputs = Model::OutputRow::size;
    constexpr std::size_t most = PTRDIFF_MAX / sizeof(float) / (inputs > outputs ? inputs : outputs);
    if (rows > most)  // -1 is a large number here
      fail("outputs of " + std::to_string(rows) + " rows were asked for; no machine has that memory");
    // One workspace is kept for the next call; calls at the same time make their own.
    std::unique_ptr<AlignedArray<float>> workspace(spare_.exchange(nullptr));
    if (!workspace)
      workspace = std::make_unique<AlignedArray<float>>(part_.workspace + (columns_ ? library_rows * inputs : 0));
    for (std::size_t row = 0; row < rows; row += library_rows) {
      const std::size_t count = rows - row < library_rows ? rows - row : library_rows;
      const float* from = x + row * inputs;
      if (columns_) {
        float* const scaled = workspace->data() + part_.workspace;
        std::copy_n(from, count * inputs, scaled);
        columns_->apply(TensorView<float, typename Model::InputRow>{scaled, count});
        from = scaled;
      }
      part_.forward(net_.data(), from, count, normalize_, workspace->data(), y + row * outputs);
    }
    delete spare_.exchange(workspace.release());
  }

 private:
  Network<Model> net_;
  Normalize normalize_;
  std::optional<NormalizeColumns> columns_;
  const LibraryPart& part_;
  mutable std::atomic<AlignedArray<float>*> spare_{nullptr};
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

inline std::string& library_error() {
  static thread_local std::string text;
  return text;
}
/// What `work` returns, or `otherwise` where it fails: no exception leaves the library.
template <class Result, class Work>
Result guarded(Result otherwise, Work&& work) noexcept {
#if defined(__cpp_exceptions)
  try {
    return work();
  } catch (const std::exception& error) {
    try {
      library_error() = error.what();
    } catch (...) {
    }
    return otherwise;
  }
#else
  (void)otherwise;
  return work();
#endif
}

#endif

}  // namespace detail

SINTER_NAMESPACE_END

#define SINTER_LIBRARY_JOIN_(a, b) a##b
#define SINTER_LIBRARY_JOIN(a, b) SINTER_LIBRARY_JOIN_(a, b)
#define SINTER_LIBRARY_C(name) SINTER_LIBRARY_JOIN(SINTER_LIBRARY_NAME, name)
#define SINTER_LIBRARY_EXPORT extern "C" __attribute__((visibility("default")))

#if !defined(SINTER_LIBRARY_MARCH)  // what the compiler was told
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
      sinter::internal::detail::library_part<Model>(SINTER_LIBRARY_MARCH);
#elif defined(SINTER_LIBRARY_NAME)
#if defined(SINTER_LIBRARY_X86)
#define SINTER_LIBRARY_DECLARE_PARTS \
  extern const sinter::internal::detail::LibraryPart SINTER_LIBRARY_C(_part_v3), SINTER_LIBRARY_C(_part_v4);
#define SINTER_LIBRARY_MORE_PARTS , &SINTER_LIBRARY_C(_part_v3), &SINTER_LIBRARY_C(_part_v4)
#else
#define SINTER_LIBRARY_DECLARE_PARTS
#define SINTER_LIBRARY_MORE_PARTS
#endif
#define SINTER_MODEL_LIBRARY(Model)                                                                                    \
  SINTER_LIBRARY_DECLARE_PARTS                                                                                         \
  using SINTER_LIBRARY_C(_model) = sinter::internal::detail::LibraryModel<Model>;                                      \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_inputs)() { return Model::InputRow::size; }                      \
  SINTER_LIBRARY_EXPORT std::size_t SINTER_LIBRARY_C(_outputs)() { return Model::OutputRow::size; }                    \
  SINTER_LIBRARY_EXPORT SINTER_LIBRARY_C(_model) * SINTER_LIBRARY_C(_open)(const char* weights) {                      \
    static constexpr auto base = sinter::internal::detail::library_part<Model>(SINTER_LIBRARY_MARCH);                  \
    static constexpr const sinter::internal::detail::LibraryPart* parts[] = {&base SINTER_LIBRARY_MORE_PARTS};         \
    return sinter::internal::detail::guarded<SINTER_LIBRARY_C(_model)*>(                                               \
        nullptr, [&] { return new SINTER_LIBRARY_C(_model)(weights, sinter::internal::detail::chosen_part(parts)); }); \
  }                                                                                                                    \
  SINTER_LIBRARY_EXPORT int SINTER_LIBRARY_C(_predict)(const SINTER_LIBRARY_C(_model) * model, const float* x,         \
                                                       std::size_t rows, float* y) {                                   \
    return sinter::internal::detail::guarded<int>(-1, [&] {                                                            \
      if (!model) sinter::internal::fail("no model was given; one that could not be opened is NULL");                  \
      model->predict(x, rows, y);                                                                                      \
      return 0;                                                                                                        \
    });                                                                                                                \
  }                                                                                                                    \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_error)() {                                                       \
    return sinter::internal::detail::library_error().c_str();                                                          \
  }                                                                                                                    \
  SINTER_LIBRARY_EXPORT const char* SINTER_LIBRARY_C(_isa)(const SINTER_LIBRARY_C(_model) * model) {                   \
    return model ? model->isa() : "";                                                                                  \
  }                                                                                                                    \
  SINTER_LIBRARY_EXPORT void SINTER_LIBRARY_C(_close)(SINTER_LIBRARY_C(_model) * model) { delete model; }
#else
#define SINTER_MODEL_LIBRARY(Model)                                                                         \
  static_assert(false,                                                                                      \
                "sinter: a model library is compiled by CMake's sinter_add_model_library(name source), by " \
                "tools/model_library NAME SOURCE, or for one instruction set with -DSINTER_LIBRARY_NAME=name");
#endif
