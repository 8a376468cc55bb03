// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include "sinter/network/parameter_names.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION ParameterPlace::ParameterPlace(int layer) : text_(std::to_string(layer)) {}

SINTER_FUNCTION std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

SINTER_FUNCTION void fail_parameter(std::span<const Parameter> all, std::string_view wanted) {
  constexpr std::size_t most = 8;
  std::vector<std::pair<std::size_t, std::size_t>> similar;  // distance and number
  for (const Parameter& p : all)
    similar.emplace_back(all.size() > most ? edit_distance(p.name, wanted) : 0, similar.size());
  std::sort(similar.begin(), similar.end());
  similar.resize(std::min(similar.size(), most));
  std::string known;
  for (const auto& [distance, i] : similar) known += joined({known.empty() ? "" : ", ", all[i].name});
  fail(joined({"there is no parameter \"", wanted, "\"; this network has ", known.empty() ? "none" : known,
               all.size() > most ? joined({", and ", all.size() - most, " less similar"}) : ""}));
}

SINTER_FUNCTION std::vector<std::size_t> parameters_below(std::span<const Parameter> all, std::string_view place) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = all[i].name;
    if (name == place || (name.starts_with(place) && name.size() > place.size() && name[place.size()] == '.'))
      found.push_back(i);
  }
  if (found.empty()) fail_parameter(all, place);
  return found;
}

SINTER_FUNCTION std::size_t parameter_at(std::span<const Parameter> all, std::string_view place) {
  const std::vector<std::size_t> found = parameters_below(all, place);
  if (found.size() == 1) return found[0];
  std::string names;
  for (const std::size_t i : found) names += joined({names.empty() ? "" : ", ", all[i].name});
  fail(joined({"there are ", found.size(), " parameters in \"", place, "\"; ask for one of them, ", names,
               ", or for all by parameters(\"", place, "\")"}));
}

}  // namespace detail

SINTER_NAMESPACE_END
