// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/data/file.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION bool File::close() {
  const bool good = handle_ != nullptr && std::fclose(handle_) == 0;
  handle_ = nullptr;
  return good;
}

namespace detail {

SINTER_FUNCTION void sync_folder([[maybe_unused]] const std::string& path) {
#if !defined(_WIN32)
  const std::string folder = SplitPath(path).folder;
  if (const int handle = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC); handle >= 0) {
    fsync(handle);
    close(handle);
  }
#endif
}

SINTER_FUNCTION WriteTarget find_target(std::string path) {
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

SINTER_FUNCTION std::string write_problem(const std::string& what, int cause) {
#if defined(EDQUOT)
  const bool full = cause == ENOSPC || cause == EDQUOT;
#else
  const bool full = cause == ENOSPC;
#endif
  return "cannot " + what + ": " + std::strerror(cause) +
         (full             ? "; make room there, or give a path on another disk"
          : cause == EBUSY ? "; if the file itself is mounted, mount its folder, or give another path"
                           : "; give a path in a folder that exists and may be written to");
}

SINTER_FUNCTION void fail_to_write(const std::string& what, int cause) { fail(write_problem(what, cause)); }

SINTER_FUNCTION int write_all(const std::string& path, std::string_view text) {
  File file(path, "wb");
  if (!file) return errno;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file.handle()) == text.size() && sync_file(file.handle());
  const int cause = written ? 0 : errno;
  return file.close() || !written ? cause : errno;
}

SINTER_FUNCTION int cause_to_stay([[maybe_unused]] const std::string& path) {
#if !defined(_WIN32)
#if defined(__linux__) && defined(STATX_BASIC_STATS)
  constexpr std::uint64_t only_grows = 0x20, is_mounted = 0x2000;  // STATX_ATTR_.., which not every libc names
  const auto has = [](const std::string& at, std::uint64_t attribute) {
    struct statx status;
    return statx(AT_FDCWD, at.c_str(), 0, 0, &status) == 0 && (status.stx_attributes & attribute) != 0;
  };
  const std::string folder = SplitPath(path).folder;
  if (has(folder.empty() ? "." : folder, only_grows)) return EPERM;
  if (has(path, is_mounted)) return EBUSY;
#endif
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return errno == ENOENT ? 0 : errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  // It never removes a file. Linux first looks whether the file may be removed: it may be immutable, or another user's.
  if (rmdir(path.c_str()) != 0 && errno == EPERM) return EPERM;
#endif
  return 0;
}

SINTER_FUNCTION std::string problem_of_writing(const std::string& path) {
  if (path.empty()) return "the path of a file to write is empty; give one";
  const WriteTarget target = find_target(path);
  if (!target.problem.empty()) return target.problem;
  if (!target.regular)
    return "cannot write " + path + ": a FIFO, a socket or a device has this name; give the path of a file";
  int cause = cause_to_stay(target.path);
  if (cause == 0) {
    TemporaryFile file(target.path);
    const int tried = file.try_out(target.mode);
    cause = file.taken() ? 0 : tried;
  }
  return cause == 0 ? "" : write_problem("write " + path, cause);
}

SINTER_FUNCTION std::string try_to_write_file(const std::string& path, std::string_view text) {
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

SINTER_FUNCTION void write_file(const std::string& path, std::string_view text) {
  if (const std::string problem = detail::try_to_write_file(path, text); !problem.empty()) fail(problem);
}

SINTER_NAMESPACE_END
