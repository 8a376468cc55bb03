// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Fails with a message unless an option of `owner` is valid: expect_option(n > 0, "a Batcher", "workers", "-1", "1,
/// ..").
SINTER_COLD inline void expect_option(bool right, const char* owner, const char* name, const std::string& given,
                                      const char* expected) {
  if (!right) fail(joined({owner, " was given .", name, " = ", given, ", expected ", expected}));
}

}  // namespace detail

SINTER_NAMESPACE_END
