// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/data/file.hpp"

SINTER_NAMESPACE_BEGIN

/// All bytes of a regular file. `what` names what was expected there, for the message.
SINTER_COLD std::vector<std::byte> read_file(const std::string& path, const std::string& what = "file");

SINTER_NAMESPACE_END

namespace sinter {
using internal::read_file;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/read_file.ipp"
#endif
