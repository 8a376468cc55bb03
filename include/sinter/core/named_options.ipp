// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/named_options.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string differing_options(const NamedOptions& then, const NamedOptions& now) {
  const auto value_in = [](const NamedOptions& all, const std::string& name) -> std::string {
    for (const NamedOption& option : all)
      if (option.name == name) return option.value;
    return "not there";
  };
  std::string text;
  const auto note = [&](const std::string& name, const std::string& before, const std::string& here) {
    if (before != here) text += (text.empty() ? "" : ", ") + name + " was " + before + " and is now " + here;
  };
  for (const NamedOption& option : then) note(option.name, option.value, value_in(now, option.name));
  for (const NamedOption& option : now)
    if (const std::string before = value_in(then, option.name); before == "not there")
      note(option.name, before, option.value);
  return text;
}

}  // namespace detail

SINTER_NAMESPACE_END
