// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdlib>
#include <string>

#if defined(_WIN32)
#include <filesystem>
#include <system_error>
#else
#include <unistd.h>
#endif

#include "sinter/core/macros.hpp"
#include "sinter/data/system_file.hpp"

SINTER_NAMESPACE_BEGIN

/// The path of a file, made absolute when it is given: it names the same file if the program later changes its current
/// folder. An empty one stays empty.
struct AbsolutePath : std::string {
  AbsolutePath() = default;
  template <std::convertible_to<std::string> Path>
  AbsolutePath(const Path& path) : std::string(path) {
#if defined(_WIN32)
    if (empty()) return;
    std::error_code error;
    const auto all = std::filesystem::absolute(detail::system_path(*this), error).u8string();
    if (!error) assign(all.begin(), all.end());
#else
    if (empty() || starts_with('/')) return;
    char* const folder = getcwd(nullptr, 0);
    if (folder) insert(0, std::string(folder) + "/");
    std::free(folder);
#endif
  }
};

SINTER_NAMESPACE_END
