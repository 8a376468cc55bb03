// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Text for the contents and attributes of XML. What XML cannot have becomes U+FFFD.
SINTER_COLD std::string xml_text(std::string_view text);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/xml_text.ipp"
#endif
