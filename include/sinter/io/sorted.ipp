// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/text.hpp"
#include "sinter/io/sorted.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void check_names_differ(std::vector<SortKey>& names, std::string_view where) {
  sort_keys(names);
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i].name == names[i - 1].name)
      fail(joined({where, " has two entries named \"", names[i].name, "\"; expected one"}));
}

}  // namespace detail

SINTER_NAMESPACE_END
