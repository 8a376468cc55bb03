// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/printable.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void end_program(const std::string& message) {
  std::fprintf(stderr, "sinter: %s\n", printable(message).c_str());
  std::abort();
}

SINTER_FUNCTION void fail(const std::string& message) {
#if defined(__cpp_exceptions)
  throw Error("sinter: " + printable(message));
#else
  end_program(message);
#endif
}

SINTER_NAMESPACE_END
