// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <sinter/core/error.hpp>
#include <sinter/data/read_file.hpp>
#include <string>
#include <string_view>

#include "http_message.hpp"

namespace sinter_serve {

/// The token of a file: its only line.
inline std::string read_token(const std::string& path) {
  std::string token;
  for (const std::byte byte : sinter::internal::read_file(path, "token file")) token += static_cast<char>(byte);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.size() < 16 || token.find_first_of(" \t\r\n") != token.npos)
    sinter::internal::fail("the token file " + path + " has " + std::to_string(token.size()) +
                           " characters, expected one line of 16 or more without spaces");
  return token;
}

/// Whether a header is `Bearer TOKEN`, in a time that depends on its length alone. The scheme may be in lower case.
inline bool bears(std::string_view header, std::string_view token) {
  constexpr std::string_view scheme = "Bearer ";
  if (!same_word(header.substr(0, scheme.size()), scheme)) return false;
  header.remove_prefix(std::min(header.find_first_not_of(' ', scheme.size()), header.size()));
  unsigned different = header.size() != token.size();
  for (std::size_t i = 0; i < header.size(); ++i)
    different |= static_cast<unsigned>(header[i] ^ token[i % token.size()]);
  volatile unsigned result = different;
  return result == 0;
}

}  // namespace sinter_serve
