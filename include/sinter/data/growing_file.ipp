// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/data/growing_file.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void GrowingFile::open(const std::string& path) {
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

SINTER_FUNCTION bool GrowingFile::add(std::string_view text) {
  if (has_old_ && !cut(0)) return failed();
  has_old_ = false;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    return failed();
  size_ += static_cast<long>(text.size());
  return true;
}

SINTER_FUNCTION bool GrowingFile::cut([[maybe_unused]] long size) {
#if defined(_WIN32)
  return true;
#else
  return ftruncate(fileno(file_.get()), size) == 0;
#endif
}

SINTER_FUNCTION bool GrowingFile::failed() {
  problem_ = detail::write_problem("write " + path_, errno);
  if (!has_old_) cut(size_);
  return false;
}

SINTER_NAMESPACE_END
