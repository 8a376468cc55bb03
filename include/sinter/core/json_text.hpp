// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Text as a string of JSON, with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/json_text.ipp"
#endif
