// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What may be written to a stream: the default is a file or a pipe.
struct Terminal {
  bool interactive = false;  ///< a line may be overwritten
  int columns = 80;
  bool unicode = false;
  bool color = false;

  /// From the stream and the environment: COLUMNS, TERM, NO_COLOR, LC_ALL, LC_CTYPE and LANG.
  static Terminal of(std::FILE* file);
};

namespace detail {

std::string_view environment(const char* name);
bool is_utf8(std::string_view locale);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/report/terminal.ipp"
#endif
