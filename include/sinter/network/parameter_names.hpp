// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// A trained tensor of a network by PyTorch's name ("0.weight"), with its gradient: empty until a Trainer has made one.
template <class T>
struct NamedParameter {
  std::string_view name;
  std::span<T> value, gradient;
  std::vector<int> shape;
};

namespace detail {

/// Where parameters are: the name of one ("2.weight"), a layer ("2" or 2), or a layer inside another one ("2.path.0").
class ParameterPlace {
 public:
  ParameterPlace(int layer) : text_(std::to_string(layer)) {}
  template <std::convertible_to<std::string_view> Text>
  ParameterPlace(const Text& text) : text_(std::string_view(text)) {}
  operator std::string_view() const { return text_; }

 private:
  std::string text_;
};

/// How many letters must be added, taken away or replaced to make b of a.
SINTER_COLD inline std::size_t edit_distance(std::string_view a, std::string_view b) {
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

[[noreturn]] SINTER_COLD inline void fail_parameter(std::span<const Parameter> all, std::string_view wanted) {
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

/// The numbers of the parameters there. Fails, naming those that are most like it, where there are none.
SINTER_COLD inline std::vector<std::size_t> parameters_below(std::span<const Parameter> all, std::string_view place) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = all[i].name;
    if (name == place || (name.starts_with(place) && name.size() > place.size() && name[place.size()] == '.'))
      found.push_back(i);
  }
  if (found.empty()) fail_parameter(all, place);
  return found;
}

/// The number of the one parameter there: of that name, or the only one of a layer.
SINTER_COLD inline std::size_t parameter_at(std::span<const Parameter> all, std::string_view place) {
  const std::vector<std::size_t> found = parameters_below(all, place);
  if (found.size() == 1) return found[0];
  std::string names;
  for (const std::size_t i : found) names += joined({names.empty() ? "" : ", ", all[i].name});
  fail(joined({"there are ", found.size(), " parameters in \"", place, "\"; ask for one of them, ", names,
               ", or for all by parameters(\"", place, "\")"}));
}

template <class T>
std::vector<NamedParameter<T>> those_of(const std::vector<NamedParameter<T>>& all,
                                        const std::vector<std::size_t>& numbers) {
  std::vector<NamedParameter<T>> those;
  for (const std::size_t i : numbers) those.push_back(all[i]);
  return those;
}

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::NamedParameter;
}  // namespace sinter
