// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The words of a column, as classes() of a table numbers them: names[number] is the word.
struct Categories {
  std::string column;
  std::vector<std::string> names;
  bool operator==(const Categories&) const = default;
};

namespace detail {
/// The first ones, for a message.
SINTER_COLD std::string some_of(const std::vector<std::string>& names);
/// The number of a word of a column. Fails, and lists the known words, if there is none.
SINTER_COLD int number_of_category(const std::vector<Categories>& all, std::string_view column, std::string_view word);
/// Fails if a name is there twice.
SINTER_COLD void check_each_once(const char* what, const std::vector<std::string>& names, const std::string& of);
SINTER_COLD void check_categories(const std::vector<Categories>& all);
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::Categories;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/categories.ipp"
#endif
