// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_serve {

/// What a request asks for: "POST /v2/models/*/infer", of a model, and of one of its versions if the path has
/// /versions/N.
struct Route {
  std::string pattern{}, name{}, version{};
};

namespace detail {

/// With bytes for %xx.
inline std::string decoded(std::string_view text) {
  const auto digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) && digit(text[i + 2])) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  return plain;
}

}  // namespace detail

/// A HEAD is a GET.
inline Route route_of(std::string_view method, std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t end; path.starts_with('/') && parts.size() < 8; path.remove_prefix(end)) {
    path.remove_prefix(1);
    end = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, end));
  }
  Route route{std::string(method == "HEAD" ? "GET" : method) + " "};
  const auto is = [&](std::size_t i, std::string_view word) { return i < parts.size() && parts[i] == word; };
  const std::size_t name = is(1, "models") ? 2 : is(1, "repository") && is(2, "models") ? 3 : 8;
  if (is(0, "v2") && name < parts.size() && !parts[name].empty() &&
      !(name == 2 && parts.size() == 3 && is(2, "stats"))) {
    route.name = detail::decoded(parts[name]);
    parts[name] = "*";
    if (name == 2 && is(3, "versions") && parts.size() > 4 && !parts[4].empty()) {
      route.version = detail::decoded(parts[4]);
      parts.erase(parts.begin() + 3, parts.begin() + 5);
    }
  }
  for (const std::string& part : parts) route.pattern += "/" + part;
  return route;
}

}  // namespace sinter_serve
