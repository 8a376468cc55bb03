// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A name and options as a text has them: `SGD(lr=0.1, momentum=0.9)`. A value may be such a text itself.
struct CallText {
  struct Option {
    std::string name, value;
  };
  std::string name;
  std::vector<Option> options;

  /// Takes the option of that name out, if it was given.
  std::optional<std::string> take(std::string_view option);
};
SINTER_COLD std::string_view without_spaces(std::string_view text);
/// Fails, naming what is wrong with the text of a `what`.
SINTER_COLD CallText read_call(const char* what, std::string_view text);

/// Fails where the value of an option is no number, no whole number, or neither true nor false.
SINTER_COLD double number_of(const std::string& call, const CallText::Option& option);
SINTER_COLD long whole_number_of(const std::string& call, const CallText::Option& option, long most);
SINTER_COLD bool truth_of(const std::string& call, const CallText::Option& option);
[[noreturn]] SINTER_COLD void fail_option(const std::string& call, const std::string& option, const std::string& known);
[[noreturn]] SINTER_COLD void fail_name(const char* what, const std::string& name, const std::string& known);

template <class T>
void set_option(T& value, const std::string& call, const CallText::Option& option) {
  if constexpr (std::is_same_v<T, bool>)
    value = truth_of(call, option);
  else if constexpr (std::is_floating_point_v<T>)
    value = static_cast<T>(number_of(call, option));
  else
    value = static_cast<T>(whole_number_of(call, option, std::numeric_limits<T>::max()));
}

/// Sets the options of an object, which lists them by for_each_option, to those of a text, and checks them.
template <class T>
SINTER_COLD void set_options(T& object, const CallText& call) {
  for (const CallText::Option& option : call.options) {
    std::string known;
    bool found = false;
    if constexpr (requires { object.for_each_option([](std::string_view, const auto&) {}); })
      object.for_each_option([&](std::string_view name, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<Value>) {
          if (!known.empty()) known += ", ";
          known += name;
          if (name != option.name) return;
          set_option(const_cast<Value&>(value), call.name, option);  // of an object that is not const
          found = true;
        }
      });
    if (!found) fail_option(call.name, option.name, known);
  }
  if constexpr (requires { object.check(); }) object.check();
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/library/call_text.ipp"
#endif
