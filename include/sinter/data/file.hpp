// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

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

/// Writes PATH.part and renames it: a reader of `path` sees the old content or the new, never a part.
inline void write_file(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  const auto give_up = [&](const std::string& what) {
    const std::string reason = std::strerror(errno);
    fail("cannot " + what + ": " + reason + "; give a path in a folder that exists and may be written to");
  };
  File file(part, "wb");
  if (!file) give_up("write " + part);
  const bool written = std::fwrite(text.data(), 1, text.size(), file.handle()) == text.size();
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
}

SINTER_NAMESPACE_END
