// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/io/npy.hpp"

SINTER_NAMESPACE_BEGIN

/// Arrays by name: a .npz file, which is a zip file of .npy files.
struct NpzArrays {
  std::vector<std::pair<std::string, NpyArray>> arrays;
  /// What else the file contains, by name, and why it is no array of plain numbers: text, or objects of Python's.
  std::vector<std::pair<std::string, std::string>> others = {};

  /// The array of that name; the error lists the existing ones.
  SINTER_COLD const NpyArray& operator[](std::string_view name) const&;
  /// Of a temporary: itself.
  NpyArray operator[](std::string_view name) && { return std::as_const(*this)[name]; }
};

/// A .npz file in memory.
SINTER_COLD NpzArrays parse_npz(std::span<const std::byte> file, std::string_view name = "the npz data");
/// Reads a .npz file, as numpy.savez and numpy.savez_compressed write it. Fails, and says why, if it is invalid.
inline NpzArrays read_npz(const std::string& path) { return parse_npz(read_file(path, "npz file"), path); }

/// A .npz file of tensors.
SINTER_COLD std::vector<std::byte> npz_bytes(const std::vector<NamedTensor>& tensors);
/// Writes tensors, whole or not at all; NumPy reads them by `numpy.load`.
inline void write_npz(const std::string& path, const std::vector<NamedTensor>& tensors) {
  write_file(path, npz_bytes(tensors));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::npz_bytes;
using internal::NpzArrays;
using internal::parse_npz;
using internal::read_npz;
using internal::write_npz;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/npz.ipp"
#endif
