// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/network/any_of.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string sizes_text(const NetworkSizes* sizes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : "; ") + std::to_string(i) + ": " + std::to_string(sizes[i].inputs) + " inputs, " +
            std::to_string(sizes[i].outputs) + " outputs";
  return text;
}

SINTER_FUNCTION void fail_index(std::size_t index, const NetworkSizes* sizes, std::size_t count) {
  fail("network " + std::to_string(index) + " of " + std::to_string(count) +
       " was asked for, and they are numbered from 0; there are " + sizes_text(sizes, count));
}

SINTER_FUNCTION void fail_sizes(NetworkSizes wanted, const NetworkSizes* sizes, std::size_t count) {
  const auto number = [](int n, const char* what) { return (n == 0 ? "any number of" : std::to_string(n)) + what; };
  fail("a network with " + number(wanted.inputs, " inputs") + " and " + number(wanted.outputs, " outputs") +
       " was asked for; there are " + sizes_text(sizes, count) + "; add one to the AnyOf, or ask for one of these");
}

}  // namespace detail

SINTER_NAMESPACE_END
