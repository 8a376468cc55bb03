// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/error_of.hpp"

/// `call` throws an Error whose text holds all the parts.
template <class Call>
void check_refused(Call call, const std::vector<std::string>& parts) {
  const std::string message = error_of(call);
  CAPTURE(message);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(has(message, part));
  }
}
