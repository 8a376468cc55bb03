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

/// The path of a file, absolute from the moment that it is given: a program that changes its folder later does not
/// change what it names. An empty one stays empty.
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
