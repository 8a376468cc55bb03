// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "sinter/core/number_text.hpp"
#include "sinter/io/checkpoint.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

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
  if (find_text(from.metadata, key_checksum).empty())
    fail(joined({file, " has no checksum; it was put together: resume from a file that save_checkpoint wrote"}));
  check_checksum(from, file, "resume from another checkpoint");
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

SINTER_FUNCTION void require_finite_in_checkpoint(const std::vector<NamedTensor>& tensors, std::string_view file) {
  if (const std::string found = wrong_numbers_in(tensors, file); !found.empty())
    fail(joined({found,
                 "; resume from an earlier checkpoint, or continue all the same by FileOptions{.allow_nan = "
                 "true} or Checkpoint{.allow_nan = true}"}));
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
