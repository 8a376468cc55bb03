// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "sinter/data/file.hpp"

SINTER_NAMESPACE_BEGIN

/// A file that others read while it grows: what is added is there at once, so that a reader sees no part of a line.
class GrowingFile {
 public:
  /// Begins anew; fails where that cannot be.
  void open(const std::string& path) {
    file_.reset(std::fopen(path.c_str(), "wb"));
    if (!file_) detail::fail_to_write("open " + path, errno);
    path_ = path;
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

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_, problem_;
  std::unique_ptr<std::FILE, Close> file_;
};

SINTER_NAMESPACE_END
