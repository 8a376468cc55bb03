// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"
#include "sinter/data/file.hpp"

SINTER_NAMESPACE_BEGIN

/// A file that others read while it grows: each addition is one write, so that a reader sees no part of a line. It is
/// locked while it is open: of several writers, all but the first are refused. A process that is killed during an
/// addition may leave a part of its last line.
class GrowingFile {
 public:
  /// Fails if it cannot be written, or is locked. The first addition replaces its content.
  void open(const std::string& path);
  void close() { file_.reset(); }
  /// False if it could not be written: then problem() says why, and nothing was added.
  bool add(std::string_view text);
  const std::string& problem() const { return problem_; }

  struct CloseIt {
    void operator()(GrowingFile* file) const { file->close(); }
  };
  /// Closes a file when it ends.
  using CloseAtEnd = std::unique_ptr<GrowingFile, CloseIt>;

 private:
  bool cut(std::int64_t size);
  [[noreturn]] static void fail_as_locked(const std::string& path);
  bool failed();
  /// Unlocks it, too, in the process that has locked it: a child of fork() has a part in its lock.
  struct Close {
    long process;  // 0 before
    void operator()(std::FILE* file) const;
  };
  std::string path_, problem_;
  bool has_old_ = false;
  std::int64_t size_ = 0;  // of what was added
  std::unique_ptr<std::FILE, Close> file_;
};

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/data/growing_file.ipp"
#endif
