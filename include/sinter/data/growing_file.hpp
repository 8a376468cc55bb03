// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/data/file.hpp"

SINTER_NAMESPACE_BEGIN

/// A file that others read while it grows: what is added is there at once, so that a reader sees no part of a line. It
/// is locked as long as it is open: of several writers all but the first are refused. A process that is killed as it
/// adds may leave a part of its last line.
class GrowingFile {
 public:
  /// Fails where it cannot be written, or is locked. What it has is replaced by the first addition.
  void open(const std::string& path) {
    close();
#if defined(_WIN32)
    constexpr const char* mode = "wb";
#else
    constexpr const char* mode = "ab";  // emptied once it is known to be no one else's
#endif
    file_.reset(std::fopen(path.c_str(), mode));
    if (!file_) detail::fail_to_write("open " + path, errno);
    path_ = path;
    has_old_ = false;
    size_ = 0;
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // an addition is one write
#if !defined(_WIN32)
    const int handle = fileno(file_.get());
    struct stat status;
    if (fstat(handle, &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (detail::lock_file(handle) == detail::Locked::elsewhere) {
      close();
      fail(path + " is being written by another training; wait until it ends, or give this one another path");
    }
    has_old_ = true;
#endif
  }
  void close() { file_.reset(); }
  /// False where it could not be written: then problem() says why, and no part of it is there.
  bool add(std::string_view text) {
    if (has_old_ && !cut(0)) return failed();
    has_old_ = false;
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
      return failed();
    size_ += static_cast<long>(text.size());
    return true;
  }
  const std::string& problem() const { return problem_; }

  struct CloseIt {
    void operator()(GrowingFile* file) const { file->close(); }
  };
  /// Closes a file when it ends.
  using CloseAtEnd = std::unique_ptr<GrowingFile, CloseIt>;

 private:
  bool cut([[maybe_unused]] long size) {
#if defined(_WIN32)
    return true;
#else
    return ftruncate(fileno(file_.get()), size) == 0;
#endif
  }
  bool failed() {
    problem_ = detail::write_problem("write " + path_, errno);
    if (!has_old_) cut(size_);
    return false;
  }
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_, problem_;
  bool has_old_ = false;
  long size_ = 0;  // of what was added
  std::unique_ptr<std::FILE, Close> file_;
};

SINTER_NAMESPACE_END
