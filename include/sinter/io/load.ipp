// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/io/load.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void check_checksum_of_weights(const TensorFile& from, const std::string& name) {
  check_checksum(from, name, "get it again, or load it all the same by LoadOptions{.checksum = false}");
}

SINTER_FUNCTION Loaded take_file(const TensorFile& from, const std::vector<WritableTensor>& to,
                                 const LoadOptions& options, const FileFacts& facts, Dims inputs, std::size_t outputs,
                                 const std::string& name) {
  Loaded loaded{take_tensors(from.tensors, to, name), facts.about, facts.version};
  if (!options.partial && !loaded.problem().empty())
    fail(joined(
        {name, " does not fit the network: ", loaded.problem(),
         "; load it into the network that it was saved from, or take what fits by LoadOptions{.partial = true}"}));
  if (const std::size_t names = facts.about.classes.size(); !options.partial && names != 0 && names != outputs)
    fail(joined({name, " names ", names, " classes, and the network has ", outputs,
                 " outputs; it is damaged or was put together: save it again"}));
  const std::size_t columns = static_cast<std::size_t>(inputs.channels);
  if (const auto& given = facts.about.columns; !options.partial && given && given->mean.size() != columns)
    fail(joined({name, " scales ", given->mean.size(), " columns, and the network has inputs of ", columns,
                 "; it is damaged or was put together: save it again"}));
  if (loaded.taken.empty() && !to.empty())
    fail(joined(
        {"nothing in ", name, " fits the network: ", loaded.problem(), "; rename the tensors, or check the file"}));
  std::vector<NamedTensor> taken;
  for (const WritableTensor& one : to)
    if (std::find(loaded.taken.begin(), loaded.taken.end(), one.name) != loaded.taken.end())
      taken.push_back({one.name, one.type, one.shape, one.bytes});
  if (const std::string found = options.allow_nan ? "" : wrong_numbers_in(taken, name); !found.empty())
    fail(joined({found, "; get weights that have none, or load them all the same by LoadOptions{.allow_nan = true}"}));
  return loaded;
}

}  // namespace detail

SINTER_NAMESPACE_END
