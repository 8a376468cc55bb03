// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <utility>

#include "sinter/core/text.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/checksum.hpp"
#include "sinter/io/sorted.hpp"
#include "sinter/io/zip.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string find_text(const Metadata& metadata, std::string_view key) {
  for (const auto& [name, text] : metadata)
    if (name == key) return text;
  return {};
}

SINTER_FUNCTION std::string text_for_checksum(const Metadata& metadata) {
  if (const std::string checkpoint = find_text(metadata, key_checkpoint); !checkpoint.empty()) return checkpoint;
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < metadata.size(); ++i) keys.push_back({0, 0, metadata[i].first, i});
  sort_keys(keys);
  std::string all;
  for (const SortKey& key : keys)
    if (key.name != key_checksum)
      all += joined({key.name, " ", metadata[key.item].second.size(), " ", metadata[key.item].second, "\n"});
  return all;
}

SINTER_FUNCTION std::string checksum_of(const Metadata& metadata, const std::vector<NamedTensor>& tensors) {
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < tensors.size(); ++i) keys.push_back({0, 0, tensors[i].name, i});
  sort_keys(keys);
  std::string sums = text_for_checksum(metadata);
  std::vector<std::byte> copy;
  for (const SortKey& key : keys) {
    const NamedTensor& tensor = tensors[key.item];
    sums += joined({" ", key.name, " ", std::size_t{crc32(in_file_order(tensor.type, tensor.bytes, copy))}});
  }
  return joined({std::size_t{crc32(std::as_bytes(std::span(sums.data(), sums.size())))}});
}

SINTER_FUNCTION std::vector<std::byte> bytes_with_checksum(const std::vector<NamedTensor>& tensors, Metadata metadata) {
  std::string sum = checksum_of(metadata, tensors);
  metadata.emplace_back(key_checksum, std::move(sum));
  return safetensors_bytes(tensors, metadata);
}

SINTER_FUNCTION void check_checksum(const TensorFile& from, std::string_view file, std::string_view remedy) {
  const std::string expected = find_text(from.metadata, key_checksum);
  if (!expected.empty() && expected != checksum_of(from.metadata, from.tensors))
    fail(joined({file, " has a wrong checksum; it is damaged, or was changed after it was written: ", remedy}));
}

}  // namespace detail

SINTER_NAMESPACE_END
