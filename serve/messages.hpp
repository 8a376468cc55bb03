// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "line_writer.hpp"

namespace sinter_serve {

/// Messages on the standard error.
class Messages {
 public:
  void operator()(std::string_view text) {
    if (text.starts_with("sinter: ")) text.remove_prefix(8);
    lines_.add("sinter-serve: " + std::string(text));
  }
  /// Those that were not written, because nobody read those before them.
  std::uint64_t dropped() const { return lines_.dropped(); }

 private:
  LineWriter lines_{2};
};

}  // namespace sinter_serve
