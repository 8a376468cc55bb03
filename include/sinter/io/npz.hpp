// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/io/npy.hpp"
#include "sinter/io/sorted.hpp"
#include "sinter/io/zip.hpp"

SINTER_NAMESPACE_BEGIN

/// Arrays by name: a .npz file, which is a zip file of .npy files.
struct NpzArrays {
  std::vector<std::pair<std::string, NpyArray>> arrays;

  /// The array of that name; an error names those that there are.
  SINTER_COLD const NpyArray& operator[](std::string_view name) const {
    std::string known;
    for (const auto& [given, array] : arrays) {
      if (given == name) return array;
      known += joined({known.empty() ? "" : ", ", given});
    }
    fail(joined({"there is no array \"", name, "\"; this file has ", known}));
  }
};

/// A .npz file in memory. Compressed ones (numpy.savez_compressed) are refused.
SINTER_COLD inline NpzArrays parse_npz(std::span<const std::byte> file, std::string_view name = "the npz data") {
  NpzArrays result;
  std::vector<detail::SortKey> keys;
  const auto entries = detail::parse_zip(file, name);
  result.arrays.reserve(entries.size());  // names are compared in place
  for (const auto& entry : entries) {
    std::string key = entry.name;
    if (key.ends_with(".npy")) key.resize(key.size() - 4);
    result.arrays.emplace_back(key, parse_npy(entry.bytes, joined({entry.name, " in ", name})));
    keys.push_back({0, 0, result.arrays.back().first, 0});
  }
  detail::check_names_differ(keys, name);
  return result;
}
/// Reads a .npz file that is not compressed, as numpy.savez writes it. An error says what is wrong with it.
inline NpzArrays read_npz(const std::string& path) { return parse_npz(read_file(path, "npz file"), path); }

/// A .npz file of tensors.
SINTER_COLD inline std::vector<std::byte> npz_bytes(const std::vector<NamedTensor>& tensors) {
  std::vector<std::vector<std::byte>> files;
  std::vector<detail::ZipEntry> entries;
  std::vector<detail::SortKey> keys;
  for (const auto& tensor : tensors) {
    files.push_back(detail::npy_file(tensor));
    keys.push_back({0, 0, tensor.name, 0});
  }
  for (std::size_t i = 0; i < files.size(); ++i) entries.push_back({tensors[i].name + ".npy", files[i]});
  detail::check_names_differ(keys, "the list of arrays");
  return detail::zip_bytes(entries);
}
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
