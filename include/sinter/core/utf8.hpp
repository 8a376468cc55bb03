// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// How many bytes the character at a place of a text in UTF-8 has; 0 where these bytes are none.
SINTER_COLD std::size_t utf8_length(std::string_view text, std::size_t at);

inline constexpr std::string_view utf8_not_a_character = "\xEF\xBF\xBD";  // U+FFFD, in the place of such bytes

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/utf8.ipp"
#endif
