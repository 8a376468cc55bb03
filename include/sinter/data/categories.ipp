// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/text.hpp"
#include "sinter/data/categories.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += joined({i ? ", " : "", names[i]});
  if (names.size() > most) text += joined({" and ", names.size() - most, " more"});
  return text.empty() ? "none" : text;
}

SINTER_FUNCTION int number_of_category(const std::vector<Categories>& all, std::string_view column,
                                       std::string_view word) {
  std::vector<std::string> columns;
  for (const Categories& one : all) {
    columns.push_back(one.column);
    if (one.column != column) continue;
    const auto found = std::find(one.names.begin(), one.names.end(), word);
    if (found == one.names.end())
      fail(joined({"\"", word, "\" is not a category of the column \"", column, "\"; there are ", some_of(one.names)}));
    return static_cast<int>(found - one.names.begin());
  }
  fail(joined({"there are no categories of a column \"", column, "\", but of ", some_of(columns)}));
}

SINTER_FUNCTION void check_each_once(const char* what, const std::vector<std::string>& names, const std::string& of) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fail(joined({what, " \"", *twice, "\"", of, " was given twice; give it once"}));
}

SINTER_FUNCTION void check_categories(const std::vector<Categories>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].names.empty())
      fail(joined({"categories of the column \"", all[i].column, "\" without names were given; give it one or more"}));
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].column == all[j].column)
        fail(joined({"categories of the column \"", all[i].column, "\" were given twice; give them once"}));
    check_each_once("the category", all[i].names, joined({" of the column \"", all[i].column, "\""}));
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
