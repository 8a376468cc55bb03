// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <utility>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <process.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/data/file_lock.hpp"
#include "sinter/data/system_file.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION long process_number() {
#if defined(_WIN32)
  return static_cast<long>(_getpid());
#elif defined(__wasi__)
  return 1;
#else
  return static_cast<long>(getpid());
#endif
}

SINTER_FUNCTION Locked lock_file([[maybe_unused]] int handle) {
#if defined(_WIN32) || defined(__wasi__)
  return Locked::never;
#else
  fcntl(handle, F_SETFD, FD_CLOEXEC);
  if (flock(handle, LOCK_EX | LOCK_NB) == 0) return Locked::here;
  return errno == EWOULDBLOCK ? Locked::elsewhere : Locked::never;
#endif
}

SINTER_FUNCTION void unlock_file([[maybe_unused]] int handle) {
#if !defined(_WIN32) && !defined(__wasi__)
  flock(handle, LOCK_UN);
#endif
}

#if !defined(_WIN32)
SINTER_FUNCTION bool has_name(int handle, const std::string& path) {
  struct stat own, named;
  return fstat(handle, &own) == 0 && lstat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}
#endif

SINTER_FUNCTION FileLock::FileLock(const std::string& of) {
  if (of.empty()) return;
  path_ = of + ".lock";
  // Again where the one who had it removed the file between the two calls.
  for (int attempt = 0; attempt < 100 && handle_ < 0 && !elsewhere_ && acquire(); ++attempt) {
  }
}

SINTER_FUNCTION FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)),
      owner_(std::move(other.owner_)),
      handle_(std::exchange(other.handle_, -1)),
      elsewhere_(other.elsewhere_) {}

SINTER_FUNCTION FileLock::~FileLock() {
  if (handle_ < 0) return;
#if defined(_WIN32)  // whoever has locked it between the two calls keeps it
  _close(handle_);
  remove_file(path_);
#else
  std::remove(path_.c_str());
  close(handle_);
#endif
}

SINTER_FUNCTION bool FileLock::is_lock(int handle) {
  char text[24];
#if defined(_WIN32)
  const auto size = _read(handle, text, sizeof text);
#else
  const auto size = pread(handle, text, sizeof text, 0);
#endif
  if (size < 0 || static_cast<std::size_t>(size) == sizeof text) return false;
  const std::string_view all(text, static_cast<std::size_t>(size));
  return all.find_first_not_of("0123456789\n") == all.npos;
}

#if defined(_WIN32)
SINTER_FUNCTION bool FileLock::acquire() {
  const int handle = open_locked(path_, _O_RDWR | _O_CREAT);
  if (handle >= 0 && is_lock(handle)) {
    const std::string number = std::to_string(process_number()) + "\n";
    if (_chsize_s(handle, 0) == 0 && _lseek(handle, 0, SEEK_SET) == 0 &&
        _write(handle, number.data(), static_cast<unsigned>(number.size())) > 0)
      owner_ = number;
    handle_ = handle;
    return true;
  }
  if (handle >= 0) {
    _close(handle);
  } else if (errno == EACCES && is_writable(path_)) {
    elsewhere_ = true;
    char text[24];
    if (std::FILE* const file = open_file(path_, "rb")) {
      owner_.assign(text, std::fread(text, 1, sizeof text, file));
      std::erase_if(owner_, [](char letter) { return letter < '0' || letter > '9'; });
      std::fclose(file);
    }
  }
  return false;
}
#else
SINTER_FUNCTION bool FileLock::acquire() {
  const int handle = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (handle < 0) return false;
  if (!is_lock(handle)) {
    close(handle);
    return false;
  }
  const Locked locked = lock_file(handle);
  if (locked == Locked::here && has_name(handle, path_)) {
    const std::string number = std::to_string(process_number()) + "\n";
    if (ftruncate(handle, 0) == 0 && pwrite(handle, number.data(), number.size(), 0) > 0) owner_ = number;
    handle_ = handle;
    return true;
  }
  elsewhere_ = locked == Locked::elsewhere;
  char text[24];
  if (const auto size = elsewhere_ ? pread(handle, text, sizeof text, 0) : 0; size > 0)
    for (const char digit : std::string(text, static_cast<std::size_t>(size)))
      if (digit >= '0' && digit <= '9') owner_ += digit;
  if (locked == Locked::never) std::remove(path_.c_str());
  close(handle);
  return locked != Locked::never;
}
#endif

}  // namespace detail

SINTER_NAMESPACE_END
