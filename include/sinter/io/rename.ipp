// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/text.hpp"
#include "sinter/io/rename.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string names_of(const std::vector<NamedTensor>& tensors) {
  std::string text;
  for (const NamedTensor& tensor : tensors) text += joined({text.empty() ? "" : ", ", tensor.name});
  return text.empty() ? "no tensors" : text;
}

SINTER_FUNCTION std::vector<NamedTensor> renamed(const std::vector<NamedTensor>& tensors,
                                                 const std::vector<RenameRule>& rules, std::string_view file) {
  std::vector<NamedTensor> all = tensors;
  std::vector<bool> used(rules.size());
  for (NamedTensor& tensor : all)
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const auto& [from, to] = rules[i];
      const bool prefix = from.empty() || from.ends_with('.');
      if (prefix ? !tensor.name.starts_with(from) : tensor.name != from) continue;
      tensor.name = to + tensor.name.substr(from.size());
      used[i] = true;
      break;
    }
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (!used[i])
      fail(joined({".rename of ", file, " has the rule {\"", rules[i].from, "\", \"", rules[i].to,
                   "\"}, which no tensor is left for; give whole names, or beginnings that end in a point such as "
                   "\"conv1.\": the file has ",
                   names_of(tensors)}));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (all[i].name == all[k].name)
        fail(joined({".rename of ", file, " gives \"", tensors[k].name, "\" and \"", tensors[i].name,
                     "\" the same name, \"", all[i].name, "\"; give each tensor a name of its own"}));
  return all;
}

}  // namespace detail

SINTER_NAMESPACE_END
