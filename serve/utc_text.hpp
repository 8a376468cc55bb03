// SPDX-License-Identifier: MIT
#pragma once

#include <ctime>
#include <string>

namespace sinter_serve {

/// Now, by a format of strftime.
inline std::string utc_text(const char* format) {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

}  // namespace sinter_serve
