// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "sinter/core/number_text.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/checkpoint.hpp"
#include "sinter/io/sorted.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string checkpoint_sum(std::string_view text, const std::vector<NamedTensor>& tensors) {
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < tensors.size(); ++i) keys.push_back({0, 0, tensors[i].name, i});
  sort_keys(keys);
  std::string sums(text);
  std::vector<std::byte> copy;
  for (const auto& key : keys) {
    const NamedTensor& tensor = tensors[key.item];
    sums += joined({" ", key.name, " ", std::size_t{crc32(in_file_order(tensor.type, tensor.bytes, copy))}});
  }
  return joined({std::size_t{crc32(std::as_bytes(std::span(sums.data(), sums.size())))}});
}

SINTER_FUNCTION std::string find_text(const Metadata& metadata, std::string_view key) {
  for (const auto& [name, text] : metadata)
    if (name == key) return text;
  return {};
}

SINTER_FUNCTION std::vector<double> fit_numbers(const TensorFile& from, std::string_view file) {
  for (const NamedTensor& tensor : from.tensors)
    if (tensor.name == name_of_fit && tensor.type == ElementType::f64) {
      std::vector<double> numbers(tensor.bytes.size() / sizeof(double));
      std::memcpy(numbers.data(), tensor.bytes.data(), numbers.size() * sizeof(double));
      return numbers;
    }
  fail(joined({file, " is not a checkpoint of a fit; resume a Trainer from it, or give fit another path"}));
}

SINTER_FUNCTION std::string checked_checkpoint_text(const TensorFile& from, std::string_view file) {
  facts_of(from.metadata, file);  // refuses other formats
  const std::string text = find_text(from.metadata, key_checkpoint);
  if (text.empty()) fail(joined({file, " is not a checkpoint of a training; take its weights by load()"}));
  if (find_text(from.metadata, key_of_checkpoint_sum) != checkpoint_sum(text, from.tensors))
    fail(joined({file, " has a wrong checksum; it is damaged: resume from another checkpoint"}));
  return text;
}

SINTER_FUNCTION CheckpointFacts read_checkpoint(const TensorFile& from, const std::vector<WritableTensor>& to,
                                                std::string_view optimizer, std::uint64_t model, std::uint64_t seed,
                                                std::string_view file) {
  CheckpointFacts facts = parse_checkpoint_text(checked_checkpoint_text(from, file), file);
  if (facts.optimizer != optimizer)
    fail(joined({file, " is a checkpoint of a training by ", facts.optimizer, ", and this Trainer has ", optimizer,
                 "; resume with the same optimizer, or begin a new training with the weights that load(.., {.partial = "
                 "true}) takes from it"}));
  if (facts.seed != seed)
    fail(joined({file, " is a checkpoint of a network with the seed ", facts.seed, ", and this one has ", seed,
                 "; make the network with that seed"}));
  std::vector<NamedTensor> tensors = from.tensors;
  std::erase_if(tensors, [](const NamedTensor& tensor) { return tensor.name == name_of_fit; });
  if (const Matched matched = take_tensors(tensors, to, file); !matched.problem().empty())
    fail(joined({file, " does not fit the network: ", matched.problem(), "; resume with the network that it is of"}));
  if (facts.model != model)
    fail(joined({file,
                 " is a checkpoint of another model, with tensors of the same names and shapes; resume with the model "
                 "that it is of, or take its weights by load(.., {.partial = true})"}));
  return facts;
}

SINTER_FUNCTION void require_same_options(const NamedOptions& then, const NamedOptions& now, std::string_view file) {
  if (const std::string differing = differing_options(then, now); !differing.empty())
    fail(joined({file, " is a checkpoint of a training with other options: ", differing,
                 "; give the program those of the checkpoint, or continue with the program's by Take::program"}));
}

SINTER_FUNCTION NamedOptions together(NamedOptions all, const NamedOptions& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

SINTER_FUNCTION std::string first_rate_in(const NamedOptions& options) {
  for (const NamedOption& option : options)
    if (option.name.ends_with(".lr")) return option.value;
  return {};
}

}  // namespace detail

SINTER_NAMESPACE_END
