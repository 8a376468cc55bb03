// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#if defined(_WIN32)
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

/// A stdio file that closes itself.
class File {
 public:
  File(const std::string& path, const char* mode) : handle_(std::fopen(path.c_str(), mode)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }

  explicit operator bool() const { return handle_ != nullptr; }
  std::FILE* handle() const { return handle_; }
  /// False if what was written did not all arrive.
  bool close() {
    const bool good = handle_ != nullptr && std::fclose(handle_) == 0;
    handle_ = nullptr;
    return good;
  }

 private:
  std::FILE* handle_;
};

namespace detail {
/// Waits until what was written to a file is on the disk, not only on its way there.
inline bool sync_file(std::FILE* file) {
#if defined(_WIN32)
  return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
#else
  return std::fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP);  // a pipe cannot
#endif
}
/// The same for the names in the folder of `path`, as far as the system can.
inline void sync_folder([[maybe_unused]] const std::string& path) {
#if !defined(_WIN32)
  const auto slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  if (const int handle = open(folder.c_str(), O_RDONLY | O_CLOEXEC); handle >= 0) {
    fsync(handle);
    close(handle);
  }
#endif
}
}  // namespace detail

/// Writes PATH.part, waits for the disk, and renames it: whatever happens, a reader of `path` sees the old content or
/// the new, never a part.
inline void write_file(const std::string& path, std::string_view text) {
  const std::string part = path + ".part";
  const auto give_up = [&](const std::string& what) {
    const std::string reason = std::strerror(errno);
    fail("cannot " + what + ": " + reason + "; give a path in a folder that exists and may be written to");
  };
  File file(part, "wb");
  if (!file) give_up("write " + part);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file.handle()) == text.size() && detail::sync_file(file.handle());
  if (!file.close() || !written) {
    const int cause = errno;
    std::remove(part.c_str());
    errno = cause;
    give_up("write " + part);
  }
#if defined(_WIN32)
  std::remove(path.c_str());  // rename does not replace there
#endif
  if (std::rename(part.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    std::remove(part.c_str());
    errno = cause;
    give_up("rename " + part + " to " + path);
  }
  detail::sync_folder(path);
}

inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

SINTER_NAMESPACE_END
