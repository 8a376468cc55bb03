// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
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
  ParameterPlace(int layer);
  template <std::convertible_to<std::string_view> Text>
  ParameterPlace(const Text& text) : text_(std::string_view(text)) {}
  operator std::string_view() const { return text_; }

 private:
  std::string text_;
};

/// How many letters must be added, taken away or replaced to make b of a.
SINTER_COLD std::size_t edit_distance(std::string_view a, std::string_view b);
[[noreturn]] SINTER_COLD void fail_parameter(std::span<const Parameter> all, std::string_view wanted);

/// The numbers of the parameters at a place. If there are none, fails and lists the most similar names.
SINTER_COLD std::vector<std::size_t> parameters_below(std::span<const Parameter> all, std::string_view place);

/// The number of the single parameter at a place: of that name, or the only one of a layer.
SINTER_COLD std::size_t parameter_at(std::span<const Parameter> all, std::string_view place);

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

#if SINTER_BODIES
#include "sinter/network/parameter_names.ipp"
#endif
