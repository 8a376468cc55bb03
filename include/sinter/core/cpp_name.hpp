// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether a text can be the name of a constant or type that a program declares outside of namespaces: letters, digits
/// and _, and no word of C++, of its standard headers or of sinter. tools/quoting.py has this rule with more names.
SINTER_COLD bool is_name_in_cpp(std::string_view name);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/cpp_name.ipp"
#endif
