// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>

#include "sinter/library/call_text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string_view without_spaces(std::string_view text) {
  constexpr const char* spaces = " \t\n\r";
  const std::size_t first = text.find_first_not_of(spaces);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

/// Where the option that begins at `first` ends: at a comma outside of parentheses, or at the end.
inline std::size_t end_of_option(std::string_view text, std::size_t first) {
  int depth = 0;
  for (std::size_t i = first; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) return i;
  }
  return text.size();
}

SINTER_FUNCTION CallText read_call(const char* what, std::string_view given) {
  const std::string_view text = without_spaces(given);
  const auto refuse = [&](const char* wrong) {
    fail(joined({"the ", what, " was given as \"", given, "\", ", wrong, "; write it as Name(option=value, ..)"}));
  };
  const std::size_t open = text.find('(');
  CallText call{std::string(without_spaces(text.substr(0, open))), {}};
  if (call.name.empty()) refuse("which has no name");
  if (open == text.npos) return call;
  if (text.back() != ')') refuse("which ends in no parenthesis");
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (without_spaces(inside).empty()) return call;
  for (std::size_t first = 0; first <= inside.size();) {
    const std::size_t end = end_of_option(inside, first);
    const std::string_view option = inside.substr(first, end - first);
    const std::size_t equals = option.find('=');
    if (equals == option.npos) refuse("where an option has no =");
    CallText::Option read{std::string(without_spaces(option.substr(0, equals))),
                          std::string(without_spaces(option.substr(equals + 1)))};
    for (const CallText::Option& before : call.options)
      if (before.name == read.name) refuse("which gives an option twice");
    call.options.push_back(std::move(read));
    first = end + 1;
  }
  return call;
}

SINTER_FUNCTION std::optional<std::string> CallText::take(std::string_view option) {
  for (std::size_t i = 0; i < options.size(); ++i)
    if (options[i].name == option) {
      const std::string value = options[i].value;
      options.erase(options.begin() + static_cast<std::ptrdiff_t>(i));
      return value;
    }
  return {};
}

[[noreturn]] SINTER_COLD inline void fail_value(const std::string& call, const CallText::Option& option,
                                                const std::string& expected) {
  fail(joined({call, " was given ", option.name, " = \"", option.value, "\", expected ", expected}));
}

SINTER_FUNCTION double number_of(const std::string& call, const CallText::Option& option) {
  const std::string& text = option.value;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) fail_value(call, option, "a number that a double can hold");
  if (error != std::errc() || end != text.data() + text.size()) fail_value(call, option, "a number, as 0.1 or 1e-3");
  return number;
}

SINTER_FUNCTION long whole_number_of(const std::string& call, const CallText::Option& option, long most) {
  const std::string& text = option.value;
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    fail_value(call, option, "a whole number");
  if (error != std::errc() || number > most || number < -most)
    fail_value(call, option, "a whole number of at most " + std::to_string(most));
  return number;
}

SINTER_FUNCTION bool truth_of(const std::string& call, const CallText::Option& option) {
  const std::string& text = option.value;
  const bool yes = text == "true" || text == "True" || text == "1";
  if (!yes && text != "false" && text != "False" && text != "0") fail_value(call, option, "true or false");
  return yes;
}

SINTER_FUNCTION void fail_option(const std::string& call, const std::string& option, const std::string& known) {
  fail(joined({call, " was given the option \"", option, "\", ", known.empty() ? "and has none" : "and has ", known,
               "; correct its name or leave it out"}));
}

SINTER_FUNCTION void fail_name(const char* what, const std::string& name, const std::string& known) {
  fail(joined({"the ", what, " \"", name, "\" is not known; give one of ", known}));
}

}  // namespace detail

SINTER_NAMESPACE_END
