// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// A message as a terminal can show it, whatever names of files it has in it: control characters, and those that change
/// the direction of text, are written as their numbers, \x1b and \u202e. Lines of a list, which begin with two spaces,
/// stay lines.
SINTER_COLD std::string printable(std::string_view message);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/printable.ipp"
#endif
