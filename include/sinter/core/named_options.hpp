// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/type_name.hpp"

SINTER_NAMESPACE_BEGIN

/// An option as a checkpoint keeps it: {"SGD.momentum", "0.9"}.
struct NamedOption {
  std::string name, value;
};

/// The options of an object, in its order.
using NamedOptions = std::vector<NamedOption>;

/// An object that lists its options by name: for_each_option(each) calls each("momentum", momentum) for each of them. A
/// value is a number, an array of numbers, or another such object.
template <class T>
concept HasNamedOptions = requires(const T& object) { object.for_each_option([](std::string_view, const auto&) {}); };

namespace detail {

/// The `name` of a type, else that of its struct.
template <class T>
std::string name_of_kind() {
  if constexpr (requires { std::string_view(T::name); })
    return std::string(T::name);
  else
    return std::string(defined_name<T>());
}

template <class T>
  requires std::is_arithmetic_v<T>
SINTER_COLD std::string option_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_floating_point_v<T>)
    return exact_text(value);
  else
    return std::to_string(value);
}

/// Calls object.for_each_option(each), or, of an optimizer that has none, each("lr", lr).
template <class T, class Each>
void for_each_option(const T& object, Each&& each) {
  if constexpr (HasNamedOptions<T>)
    object.for_each_option(each);
  else if constexpr (requires { object.lr; })
    each("lr", object.lr);
}

template <class T>
SINTER_COLD void add_option(NamedOptions& all, const std::string& name, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    all.push_back({name, option_text(value)});
  } else if constexpr (requires {
                         value[0];
                         std::size(value);
                       }) {
    std::string text;
    for (int i = 0; i < static_cast<int>(std::size(value)); ++i) text += (i == 0 ? "[" : ", ") + option_text(value[i]);
    all.push_back({name, text + "]"});
  } else {
    all.push_back({name, name_of_kind<T>()});
    for_each_option(
        value, [&](std::string_view part, const auto& own) { add_option(all, name + "." + std::string(part), own); });
  }
}

/// A text that says how two lists differ; empty if they are the same.
SINTER_COLD std::string differing_options(const NamedOptions& then, const NamedOptions& now);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/named_options.ipp"
#endif
