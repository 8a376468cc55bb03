// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

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
  for (const auto& [given, why] : others)
    if (given == name) fail(why);
  fail(joined({"there is no array \"", name, "\"; this file has ", known}));
}

SINTER_FUNCTION NpzArrays parse_npz(std::span<const std::byte> file, std::string_view name) {
  NpzArrays result;
  std::vector<detail::SortKey> keys;
  const auto entries = detail::parse_zip(file, name);
  result.arrays.reserve(entries.size());  // names are compared in place
  result.others.reserve(entries.size());
  for (const auto& entry : entries) {
    std::string key = entry.name;
    const bool named_so = key.ends_with(".npy");
    if (named_so) key.resize(key.size() - 4);
    const std::string place = joined({entry.name, " in ", name});
    std::string problem = named_so || detail::begins_as_npy(entry.bytes)
                              ? detail::parse_npy_header(entry.bytes, place).problem
                              : joined({place, " is no array; ask for another name"});
    if (problem.empty())
      keys.push_back({0, 0, result.arrays.emplace_back(key, parse_npy(entry.bytes, place)).first, 0});
    else
      keys.push_back({0, 0, result.others.emplace_back(key, std::move(problem)).first, 0});
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
