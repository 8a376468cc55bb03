// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/core/error.hpp>
#include <string>

/// What `action` fails with, without the prefix; "(no error)" if it does not.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const sinter::Error& error) {
    return std::string(error.what()).substr(8);
  }
  return "(no error)";
}

/// `text` with `name` in place of each `path`. (std::string::replace makes g++ 12 warn falsely.)
inline std::string rename_in(const std::string& text, const std::string& path, const std::string& name) {
  std::string renamed;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(path, from)) != text.npos; from = at + path.size()) {
    renamed.append(text, from, at - from);
    renamed.append(name);
  }
  return renamed.append(text, from);
}

/// Whether `text` holds `part`.
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
