// SPDX-License-Identifier: MIT
#pragma once

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace sinter_test {
/// The disk has no room for files whose paths begin so. Empty: it has room for all.
inline std::string full_disk;
}  // namespace sinter_test

/// In place of the library's.
extern "C" int fsync(int file) {
  char path[4096];
  const auto length = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  const std::string& full = sinter_test::full_disk;
  if (!full.empty() && length > 0 && std::string_view(path, static_cast<std::size_t>(length)).starts_with(full))
    return errno = ENOSPC, -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}
