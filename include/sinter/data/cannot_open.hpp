// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// Right after the system has refused to open a file for reading.
[[noreturn]] SINTER_COLD inline void fail_to_open(const std::string& path) {
  const int reason = errno;
  if (path.empty()) fail("the path of a file to read is empty; give one");
  fail("cannot open " + path + ": " + std::strerror(reason) + "; check the path");
}
}  // namespace detail

SINTER_NAMESPACE_END
