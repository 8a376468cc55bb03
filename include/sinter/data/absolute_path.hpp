// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdlib>
#include <string>

#if defined(_WIN32)
#include <direct.h>
#else
#include <unistd.h>
#endif

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The path of a file, made absolute when it is given: it names the same file if the program later changes its current
/// folder. An empty one stays empty.
struct AbsolutePath : std::string {
  AbsolutePath() = default;
  template <std::convertible_to<std::string> Path>
  AbsolutePath(const Path& path) : std::string(path) {
#if defined(_WIN32)
    if (empty() || find_first_of("/\\") == 0 || find(':') == 1) return;
    char* const folder = _getcwd(nullptr, 0);
#else
    if (empty() || starts_with('/')) return;
    char* const folder = getcwd(nullptr, 0);
#endif
    if (folder) insert(0, std::string(folder) + "/");
    std::free(folder);
  }
};

SINTER_NAMESPACE_END
