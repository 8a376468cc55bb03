// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// For a std::unique_ptr that holds an open file.
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
}  // namespace detail

SINTER_NAMESPACE_END
