// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/data/read_file.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The version of the C interface of model libraries. Later versions only add functions.
inline constexpr unsigned library_interface = 4;

/// What SINTER_LIBRARY_C(_open) is given, as bytes: a file, or the contents of one.
SINTER_COLD inline std::vector<std::byte> library_file(const char* path) {
  if (!path) fail("no path was given; give that of a safetensors file with the weights");
  return read_file(path, "safetensors file");
}
SINTER_COLD inline std::span<const std::byte> library_bytes(const void* weights, std::size_t size) {
  if (!weights || size == 0) fail("no weights were given; give the contents of a safetensors file, and its size");
  return {static_cast<const std::byte*>(weights), size};
}
inline std::size_t library_shape(Dims dims, std::size_t* sizes) {
  sizes[0] = static_cast<std::size_t>(dims.channels);
  if (dims.rank == 2) sizes[1] = static_cast<std::size_t>(dims.width);
  if (dims.rank == 3) sizes[1] = static_cast<std::size_t>(dims.height), sizes[2] = static_cast<std::size_t>(dims.width);
  return static_cast<std::size_t>(dims.rank);
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

}  // namespace detail

SINTER_NAMESPACE_END
