// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/core/error.hpp"
#include "sinter/data/temporary_file.hpp"

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
/// Waits until the names in the folder of `path` are on the disk, as far as the system can.
inline void sync_folder([[maybe_unused]] const std::string& path) {
#if !defined(_WIN32)
  const std::string folder = SplitPath(path).folder;
  if (const int handle = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC); handle >= 0) {
    fsync(handle);
    close(handle);
  }
#endif
}

/// What is at a path before it is written: links are followed, to a place where there may be nothing yet.
struct WriteTarget {
  std::string path;
  bool regular = true;       ///< a file, or nothing yet; no FIFO, no device
  int mode = -1;             ///< its permissions; -1: none yet
  std::string problem = {};  ///< why it cannot be found
};
SINTER_COLD inline WriteTarget find_target(std::string path) {
  WriteTarget target{std::move(path)};
#if !defined(_WIN32)
  struct stat status;
  for (int links = 0; lstat(target.path.c_str(), &status) == 0 && S_ISLNK(status.st_mode); ++links) {
    char to[4096];
    const auto length = readlink(target.path.c_str(), to, sizeof to);
    if (length < 0 || links == 40) {
      target.problem = "cannot follow the link " + target.path + ": " + std::strerror(length < 0 ? errno : ELOOP) +
                       "; give the path of a file";
      return target;
    }
    const auto slash = target.path.rfind('/');
    const std::string folder = to[0] == '/' || slash == target.path.npos ? "" : target.path.substr(0, slash + 1);
    target.path = folder + std::string(to, static_cast<std::size_t>(length));
  }
  if (stat(target.path.c_str(), &status) == 0) {
    target.regular = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
    if (S_ISREG(status.st_mode)) target.mode = static_cast<int>(status.st_mode & 07777);
  }
#endif
  return target;
}
SINTER_COLD inline std::string write_problem(const std::string& what, int cause) {
  const bool full = cause == ENOSPC || cause == EDQUOT;
  return "cannot " + what + ": " + std::strerror(cause) +
         (full ? "; make room there, or give a path on another disk"
               : "; give a path in a folder that exists and may be written to");
}
[[noreturn]] SINTER_COLD inline void fail_to_write(const std::string& what, int cause) {
  fail(write_problem(what, cause));
}
/// Writes the text to a FIFO or a device. 0, or the number of what went wrong.
SINTER_COLD inline int write_all(const std::string& path, std::string_view text) {
  File file(path, "wb");
  if (!file) return errno;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file.handle()) == text.size() && sync_file(file.handle());
  const int cause = written ? 0 : errno;
  return file.close() || !written ? cause : errno;
}

/// What write_file does, without failing: why it could not be done, or nothing.
SINTER_COLD inline std::string try_to_write_file(const std::string& path, std::string_view text) {
  if (path.empty()) return "the path of a file to write is empty; give one";
  const WriteTarget target = find_target(path);
  if (!target.problem.empty()) return target.problem;
  if (!target.regular) {
    const int cause = write_all(target.path, text);
    return cause == 0 ? "" : write_problem("write " + path, cause);
  }
  TemporaryFile::remove_left(target.path);
  for (int attempt = 0;; ++attempt) {
    TemporaryFile file(target.path);
    const int cause = file.become(target.path, text, target.mode);
    if (file.taken() && attempt < 100) continue;
    if (cause != 0) return write_problem("write " + path, cause);
    sync_folder(target.path);
    return {};
  }
}
}  // namespace detail

/// Writes a temporary file beside `path`, waits for the disk, and renames it: whatever happens, and whoever else writes
/// there, a reader sees the old content or the new, never a part, and the last of several writers wins. Temporary files
/// that killed processes have left are removed. A link is followed, and a file keeps its permissions. What is no
/// regular file (a FIFO, a device) is written directly.
inline void write_file(const std::string& path, std::string_view text) {
  if (const std::string problem = detail::try_to_write_file(path, text); !problem.empty()) fail(problem);
}

/// The same for bytes.
inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::write_file;
}  // namespace sinter
