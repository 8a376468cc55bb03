// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

// What systems name differently about files. On Windows paths are UTF-8, or, where they are not, of the program's code
// page, as the arguments of main are; and a file may be larger than a long can say.
namespace detail {

#if defined(_WIN32)
using FileStatus = struct _stat64;
/// In letters of 16 bits.
std::wstring system_path(const std::string& path);
/// Opens a file that nobody else may write to until it is closed; programs that this one starts do not inherit it. -1
/// where it cannot: EACCES is what errno says where someone else has it so.
int open_locked(const std::string& path, int flags);
/// Whether it is a file that may be written to, as far as no one else has it.
bool is_writable(const std::string& path);
#else
using FileStatus = struct stat;
#endif

/// As std::fopen.
std::FILE* open_file(const std::string& path, const char* mode);
/// As std::remove, of a file.
bool remove_file(const std::string& path);
/// What is at a path; false, with errno, where it cannot be found.
bool look_at(const std::string& path, FileStatus& status);
bool exists(const std::string& path);
/// False too where there is nothing.
bool is_irregular(const std::string& path);
inline bool is_regular(const FileStatus& status) { return (status.st_mode & S_IFMT) == S_IFREG; }

/// As std::fseek and std::ftell.
bool seek_file(std::FILE* file, std::int64_t to, int from);
std::int64_t place_in_file(std::FILE* file);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/data/system_file.ipp"
#endif
