// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/system_file.hpp"
#include "sinter/data/temporary_file.hpp"

SINTER_NAMESPACE_BEGIN

/// A stdio file that closes itself.
class File {
 public:
  File(const std::string& path, const char* mode) : handle_(detail::open_file(path, mode)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }

  explicit operator bool() const { return handle_ != nullptr; }
  std::FILE* handle() const { return handle_; }
  /// False if not everything was written.
  bool close();

 private:
  std::FILE* handle_;
};

namespace detail {
/// Waits until the names in the folder of `path` are on the disk, as far as the system can.
void sync_folder([[maybe_unused]] const std::string& path);

/// What is at a path before it is written: links are followed, to a place where there may be nothing yet.
struct WriteTarget {
  std::string path;
  bool regular = true;       ///< a file, or nothing yet; no FIFO, no device
  int mode = -1;             ///< its permissions; -1: none yet
  std::string problem = {};  ///< why it cannot be found
};

SINTER_COLD WriteTarget find_target(std::string path);
SINTER_COLD std::string write_problem(const std::string& what, int cause);
[[noreturn]] SINTER_COLD void fail_to_write(const std::string& what, int cause);
/// Writes the text to a FIFO or a device. 0, or the number of what went wrong.
SINTER_COLD int write_all(const std::string& path, std::string_view text);

/// The number of what forbids that another file takes the place of the one at a path, as far as that can be known
/// without doing it; or 0.
SINTER_COLD int cause_to_stay([[maybe_unused]] const std::string& path);

/// Why write_file could not put a file there now, or nothing. It makes a temporary file, and removes it. A FIFO, a
/// socket or a device is refused: it is no file that could be read again.
SINTER_COLD std::string problem_of_writing(const std::string& path);

/// What write_file does, without failing: why it could not be done, or nothing.
SINTER_COLD std::string try_to_write_file(const std::string& path, std::string_view text);
}  // namespace detail

/// Writes a temporary file beside `path`, waits for the disk, and renames it: whatever happens, and even if others
/// write there, a reader sees the old content or the new, never a part, and the last of several writers wins. Temporary
/// files that killed processes have left are removed. A link is followed, and a file keeps its permissions. A FIFO or a
/// device is written directly.
void write_file(const std::string& path, std::string_view text);

/// The same for bytes.
inline void write_file(const std::string& path, std::span<const std::byte> bytes) {
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::write_file;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/file.ipp"
#endif
