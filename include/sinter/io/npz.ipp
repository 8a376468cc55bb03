// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/io/npz.hpp"
#include "sinter/io/sorted.hpp"
#include "sinter/io/zip.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION const NpyArray& NpzArrays::operator[](std::string_view name) const& {
  std::string known;
  for (const auto& [given, array] : arrays) {
    if (given == name) return array;
    known += joined({known.empty() ? "" : ", ", given});
  }
  fail(joined({"there is no array \"", name, "\"; this file has ", known}));
}

SINTER_FUNCTION NpzArrays parse_npz(std::span<const std::byte> file, std::string_view name) {
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

SINTER_FUNCTION std::vector<std::byte> npz_bytes(const std::vector<NamedTensor>& tensors) {
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

SINTER_NAMESPACE_END
