// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#else
#include <unistd.h>
#endif

#include <sys/stat.h>

#include "sinter/data/file_lock.hpp"
#include "sinter/data/growing_file.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void GrowingFile::open(const std::string& path) {
  close();
  // Emptied once it is known to be no one else's.
#if defined(_WIN32)
  const int opened = detail::open_locked(path, _O_WRONLY | _O_CREAT | _O_APPEND);
  if (opened < 0 && errno == EACCES && detail::is_writable(path)) fail_as_locked(path);
  if (opened >= 0) file_.reset(_fdopen(opened, "ab"));
#else
  file_.reset(std::fopen(path.c_str(), "ab"));
#endif
  if (!file_) detail::fail_to_write("open " + path, errno);
  path_ = path;
  has_old_ = false;
  size_ = 0;
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // an addition is one write
  detail::FileStatus status;
#if defined(_WIN32)
  if (_fstat64(opened, &status) != 0 || !detail::is_regular(status)) return;
#else
  const int handle = fileno(file_.get());
  if (fstat(handle, &status) != 0 || !detail::is_regular(status)) return;
  if (detail::lock_file(handle) == detail::Locked::elsewhere) {
    close();
    fail_as_locked(path);
  }
  file_.get_deleter().process = detail::process_number();
#endif
  has_old_ = true;
  if (cut(status.st_size)) return;  // not of a file that may only grow
  const int cause = errno;
  close();
  detail::fail_to_write("replace " + path, cause);
}

SINTER_FUNCTION void GrowingFile::Close::operator()(std::FILE* file) const {
#if !defined(_WIN32)
  if (process == detail::process_number()) detail::unlock_file(fileno(file));
#endif
  std::fclose(file);
}

SINTER_FUNCTION void GrowingFile::fail_as_locked(const std::string& path) {
  fail(path + " is being written by another training; wait until it ends, or give this one another path");
}

SINTER_FUNCTION bool GrowingFile::add(std::string_view text) {
  if (has_old_ && !cut(0)) return failed();
  has_old_ = false;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    return failed();
  size_ += static_cast<std::int64_t>(text.size());
  return true;
}

SINTER_FUNCTION bool GrowingFile::cut(std::int64_t size) {
#if defined(_WIN32)
  return _chsize_s(_fileno(file_.get()), size) == 0;
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
