// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "support/ptx/fault.hpp"

namespace sinter_test::ptx {

/// Without comments, of as many lines.
inline std::string without_comments(const std::string& text) {
  std::string bare;
  bare.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "//") == 0) {
      while (at < text.size() && text[at] != '\n') ++at;
      bare += '\n';
    } else if (text.compare(at, 2, "/*") == 0) {
      for (at += 2; at < text.size() && text.compare(at, 2, "*/") != 0; ++at)
        if (text[at] == '\n') bare += '\n';
      ++at;
    } else {
      bare += text[at];
    }
  }
  return bare;
}

/// With one space between words, and none at the ends.
inline std::string trimmed(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

inline std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
    if (c != by || depth != 0) {
      part += c;
      continue;
    }
    parts.push_back(trimmed(part));
    part.clear();
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

/// A statement of a kernel, or "{" and "}" around a scope of names, or a label with its ":".
struct Statement {
  std::string text;
  int line;
};

inline std::vector<Statement> statements(const std::string& body, int line) {
  std::vector<Statement> all;
  std::string now;
  int began = line;
  for (const char c : body) {
    if (c == '\n') ++line;
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (now.empty()) {
      if (blank || c == ';') continue;
      began = line;
      if (c == '{' || c == '}') {
        all.push_back({std::string(1, c), line});
        continue;
      }
    }
    if (c == ';' || (c == ':' && now.find(' ') == std::string::npos)) {
      all.push_back({trimmed(now) + (c == ':' ? ":" : ""), began});
      now.clear();
    } else {
      now += blank ? ' ' : c;
    }
  }
  if (!trimmed(now).empty()) throw Fault("PTX line " + std::to_string(began) + ": no end: " + trimmed(now));
  return all;
}

}  // namespace sinter_test::ptx
