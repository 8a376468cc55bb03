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
/// is locked as long as it is open: of several writers all but the first are refused.
class GrowingFile {
 public:
  /// Begins anew; fails where that cannot be.
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
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // an addition is one write
#if !defined(_WIN32)
    const int handle = fileno(file_.get());
    struct stat status;
    if (fstat(handle, &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (detail::lock_file(handle) == detail::Locked::elsewhere) {
      close();
      fail(path + " is being written by another training; wait until it ends, or give this one another path");
    }
    if (ftruncate(handle, 0) != 0) detail::fail_to_write("write " + path, errno);
#endif
  }
  void close() { file_.reset(); }
  /// False where it could not be written: then problem() says why.
  bool add(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0)
      return true;
    problem_ = detail::write_problem("write " + path_, errno);
    return false;
  }
  const std::string& problem() const { return problem_; }

  struct CloseIt {
    void operator()(GrowingFile* file) const { file->close(); }
  };
  /// Closes a file when it ends.
  using CloseAtEnd = std::unique_ptr<GrowingFile, CloseIt>;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_, problem_;
  std::unique_ptr<std::FILE, Close> file_;
};

SINTER_NAMESPACE_END
