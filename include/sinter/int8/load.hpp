// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/read_file.hpp"
#include "sinter/int8/facts.hpp"
#include "sinter/int8/file_tensors.hpp"
#include "sinter/int8/quantized_network.hpp"
#include "sinter/int8/save.hpp"
#include "sinter/io/checksum.hpp"
#include "sinter/io/load.hpp"
#include "sinter/io/safetensors.hpp"
#include "sinter/network/model_of.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {
SINTER_COLD inline std::string_view text_of(const Metadata& metadata, std::string_view key) {
  for (const auto& [name, text] : metadata)
    if (name == key) return text;
  return {};
}

/// The constants in a file, and its facts. Everything is checked before it is used.
SINTER_COLD inline Loaded take_file(const ModelFacts& model, const WritableConstants& to, std::size_t columns,
                                    std::size_t outputs, std::span<const std::byte> bytes, const std::string& name) {
  const TensorFile file = parse_safetensors(bytes, name);
  const std::string_view format = text_of(file.metadata, key_format), given = text_of(file.metadata, key_fingerprint),
                         sum = text_of(file.metadata, key_checksum);
  if (format.empty())
    fail(joined({name, " is no file of a quantized network: its metadata has no \"", key_format,
                 "\"; load a float network into a Network, and quantize that"}));
  if (format != file_format)
    fail(joined({name, " has the format ", format, " of quantized networks, expected ", file_format,
                 "; read it with the version of sinter that wrote it, or a newer one"}));
  if (const std::string own = digits_of(model.fingerprint); given != own)
    fail(joined({name, " holds a quantized network of another model: its fingerprint is ", given, ", expected ", own,
                 "; load it as the model that was saved, with the same layers and options"}));
  FileTensors tensors(model);
  tensors.take(file.tensors, name);
  if (const std::string own = digits_of(tensors.checksum()); sum != own)
    fail(joined({name, " is damaged: the checksum of its numbers is ", own, ", expected ", sum, "; get it again"}));
  detail::check_checksum(file, name, "get it again");
  tensors.restore(to, name);
  const FileFacts facts = detail::facts_of(file.metadata, name);
  if (const std::size_t names = facts.about.classes.size(); names != 0 && names != outputs)
    fail(joined({name, " names ", names, " classes, and the network has ", outputs,
                 " outputs; it is damaged or was put together: save it again"}));
  if (facts.about.columns && facts.about.columns->mean.size() != columns)
    fail(joined({name, " scales ", facts.about.columns->mean.size(), " columns, and the network has inputs of ",
                 columns, "; it is damaged or was put together: save it again"}));
  Loaded loaded;
  for (const NamedTensor& one : file.tensors) loaded.taken.push_back(one.name);
  loaded.about = facts.about;
  loaded.version = facts.version;
  return loaded;
}

/// Of a path, or of bytes.
template <class Model, class Source>
Loaded take_source(Weights<Model>& to, const Source& source, const std::string& name) {
  static_assert(sizeof(CheckModel<Model>) > 0);
  const auto take = [&](std::span<const std::byte> bytes, const std::string& called) {
    return take_file(facts<Model>(), WritableConstants(to), static_cast<std::size_t>(Model::InputRow::dims.channels),
                     static_cast<std::size_t>(Model::OutputRow::size), bytes, called);
  };
  if constexpr (std::is_convertible_v<const Source&, std::string>)
    return take(read_file(source, "safetensors file"), source);
  else
    return take(source, name);
}
template <class Source>
concept IsSource = std::is_convertible_v<const Source&, std::string> ||
                   std::is_convertible_v<const Source&, std::span<const std::byte>>;
}  // namespace int8

/// The quantized network in a file that save() wrote, from its path, or from its bytes in memory: bit by bit the one
/// that was saved, on any machine. Fails at a file of another model or of a float network, and at one that is truncated
/// or damaged. `name` is what messages call bytes.
///
///     const auto quantized = load_quantized<Digits>("digits.int8.safetensors");
template <class ModelType, int8::IsSource Source, class Model = detail::ModelOf<ModelType>>
QuantizedNetwork<ModelType> load_quantized(const Source& source, const Host& device = {},
                                           const std::string& name = "the safetensors data") {
  int8::Weights<Model> weights;
  int8::take_source(weights, source, name);
  return QuantizedNetwork<ModelType>(std::move(weights), device);
}
/// Gives a quantized network what such a file holds, and returns the facts about the data. If it fails, the network is
/// unchanged. A file is taken whole, and its numbers are whole ones: fails if `options` rename tensors, leave some out,
/// or allow NaN or another checksum. It has no self-test.
template <class ModelType, class Isa, class Model, int8::IsSource Source>
Loaded load(QuantizedNetwork<ModelType, Isa, Model>& quantized, const Source& source, const LoadOptions& options = {},
            const std::string& name = "the safetensors data") {
  if (options.partial || !options.rename.empty() || !options.checksum || options.allow_nan)
    fail(
        "load was given .partial, .rename, .checksum or .allow_nan for a quantized network, whose file is taken whole; "
        "leave them out");
  int8::Weights<Model> weights;
  Loaded loaded = int8::take_source(weights, source, name);
  quantized = QuantizedNetwork<ModelType, Isa, Model>(std::move(weights), quantized.device());
  return loaded;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::load_quantized;
}  // namespace sinter
