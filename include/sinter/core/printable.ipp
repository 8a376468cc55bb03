// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/printable.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_COLD SINTER_FUNCTION std::string printable(std::string_view message) {
  std::string shown;
  detail::each_printable(message, true, [&](char c) { shown += c; });
  return shown;
}

SINTER_NAMESPACE_END
