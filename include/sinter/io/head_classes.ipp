// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/io/head_classes.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void check_head_classes(const std::vector<HeadClasses>& all, std::span<const RowPart> heads,
                                        const std::string& given) {
  const auto name_of = [&](std::size_t h) {
    return heads[h].name.empty() ? std::to_string(h) : std::string(heads[h].name);
  };
  if (heads.empty()) fail(given + " names for classes of heads, and the network has one output; give them as .classes");
  std::string known;
  for (std::size_t h = 0; h < heads.size(); ++h) known += (h == 0 ? "" : ", ") + name_of(h);
  std::vector<bool> seen(heads.size());
  for (const HeadClasses& one : all) {
    std::size_t h = 0;
    while (h < heads.size() && name_of(h) != one.head) ++h;
    if (h == heads.size() || seen[h])
      fail(joined({given, " names for the classes of a head \"", one.head, "\"", h < heads.size() ? " twice" : "",
                   ", expected those of heads of the network, each once: ", known}));
    seen[h] = true;
    // Of a class for each step or pixel, the classes are a dimension.
    const Dims& dims = heads[h].dims;
    const auto count = static_cast<int>(one.names.size());
    if (count != dims.size() && (dims.rank == 1 || (count != dims.channels && (dims.rank == 3 || count != dims.width))))
      fail(joined({given, " ", one.names.size(), " names for the classes of the head \"", one.head,
                   "\", expected one for each, ",
                   dims.rank == 1   ? std::to_string(dims.size())
                   : dims.rank == 3 ? std::to_string(dims.channels)
                                    : std::to_string(dims.channels) + " or " + std::to_string(dims.width)}));
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
