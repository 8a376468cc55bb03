// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/int8/facts.hpp"
#include "sinter/int8/file_tensors.hpp"
#include "sinter/int8/quantized_network.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/checksum.hpp"
#include "sinter/io/save.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {
/// Keys of the metadata. A number as 16 hexadecimal digits.
inline constexpr std::string_view key_format = "sinter.int8", key_fingerprint = "sinter.int8.fingerprint",
                                  key_checksum = "sinter.int8.checksum";
inline constexpr std::string_view file_format = "1";
SINTER_COLD inline std::string digits_of(std::uint64_t number) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

/// Fails unless the facts are of a network of so many inputs, by columns or channels, and outputs.
SINTER_COLD inline void check_about(const About& about, std::size_t columns, std::size_t outputs) {
  if (!about.classes.empty() && about.classes.size() != outputs)
    fail(joined({"names of ", about.classes.size(), " classes were given for a network with ", outputs,
                 " outputs; give one for each"}));
  if (about.normalize) about.normalize->check();
  if (about.columns) about.columns->check(columns);
}

SINTER_COLD inline std::vector<std::byte> file_bytes(const ModelFacts& model, const Constants& from,
                                                     const About& about) {
  FileTensors tensors(model);
  tensors.store(from);
  Metadata metadata = detail::metadata_of(about, {});
  metadata.emplace_back(key_format, file_format);
  metadata.emplace_back(key_fingerprint, digits_of(model.fingerprint));
  metadata.emplace_back(key_checksum, digits_of(tensors.checksum()));
  return detail::bytes_with_checksum(tensors.named(), metadata);
}
}  // namespace int8

/// A quantized network as a safetensors file in memory, with the facts about the data: weights of 8 bits with the names
/// and the shapes that the float network's have, their scales, and biases of 32 bits. The same bytes by all
/// instructions; load_quantized() gives the same bits again.
template <class ModelType, class Isa, class Model>
std::vector<std::byte> save_bytes(const QuantizedNetwork<ModelType, Isa, Model>& quantized,
                                  const detail::save_takes_normalize_classes_metadata_columns_categories_head_classes<
                                      QuantizedNetwork<ModelType, Isa, Model>>& about = {}) {
  int8::check_about(about, static_cast<std::size_t>(Model::InputRow::dims.channels),
                    static_cast<std::size_t>(Model::OutputRow::size));
  return int8::file_bytes(int8::facts<Model>(), int8::Constants(*quantized.data()), about);
}
/// The same as a file, which is written whole or not at all, as that of a Network.
template <class ModelType, class Isa, class Model, class Path>
  requires std::is_convertible_v<const Path&, std::string>
void save(const QuantizedNetwork<ModelType, Isa, Model>& quantized, const Path& path,
          const detail::save_takes_normalize_classes_metadata_columns_categories_head_classes<
              QuantizedNetwork<ModelType, Isa, Model>>& about = {}) {
  write_file(path, save_bytes(quantized, about));
}

SINTER_NAMESPACE_END
