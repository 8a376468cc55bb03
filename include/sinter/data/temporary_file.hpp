// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#if defined(_WIN32)
#include <io.h>
#include <process.h>
#else
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/data/file_lock.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Waits until what was written to a file is on the disk, not only on its way there.
inline bool sync_file(std::FILE* file) {
#if defined(_WIN32)
  return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
#else
  return std::fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP);  // a pipe cannot
#endif
}

/// A path as its folder, with the slash, and its name there.
struct SplitPath {
  std::string folder, name;
  explicit SplitPath(const std::string& path)
      : folder(path.substr(0, path.rfind('/') + 1)), name(path.substr(folder.size())) {}
};

/// A new file beside a target, to be renamed to it: NAME.PROCESS-COUNT-NUMBER.part, a name that no other writer has. It
/// is locked as long as it is open, so what is not locked was left by a process that has ended. It is removed at the
/// end, unless it was renamed.
class TemporaryFile {
 public:
  SINTER_COLD explicit TemporaryFile(const std::string& target) : path_(new_path(target)) {
#if defined(_WIN32)
    file_ = std::fopen(path_.c_str(), "wbx");
    cause_ = file_ ? 0 : errno;
#else
    const int handle = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    file_ = handle < 0 ? nullptr : fdopen(handle, "wb");
    cause_ = file_ ? 0 : errno;
    taken_ = cause_ == EEXIST;
    if (handle >= 0 && !file_) {
      std::remove(path_.c_str());
      close(handle);
    } else if (file_ && (lock_file(handle) == Locked::elsewhere || !has_name(handle, path_))) {
      taken_ = true;  // before it was locked, it looked as if its process had ended
      cause_ = EBUSY;
    }
#endif
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  SINTER_COLD ~TemporaryFile() {
    if (file_ && !renamed_) std::remove(path_.c_str());
    close_file();
  }

  /// Whether someone else has taken it: another one may do.
  bool taken() const { return taken_; }

  /// Makes `text` the content of what `target` names, with these permissions unless they are -1. 0, or the number of
  /// what went wrong: then the target is what it was.
  SINTER_COLD int become(const std::string& target, std::string_view text, [[maybe_unused]] int mode) {
    if (cause_ != 0) return cause_;
#if !defined(_WIN32)
    if (mode >= 0 && fchmod(fileno(file_), static_cast<mode_t>(mode)) != 0) return errno;
#endif
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || !sync_file(file_)) return errno;
#if defined(_WIN32)
    close_file();
    std::remove(target.c_str());  // rename does not replace there
#endif
    renamed_ = std::rename(path_.c_str(), target.c_str()) == 0;
    const int cause = renamed_ ? 0 : errno;
    taken_ = cause == ENOENT;  // where locks do not reach other machines
    return cause;
  }

  /// Removes what processes that have ended left beside a target.
  SINTER_COLD static void remove_left([[maybe_unused]] const std::string& target) {
#if !defined(_WIN32)
    const SplitPath split(target);
    DIR* const folder = opendir(split.folder.empty() ? "." : split.folder.c_str());
    if (!folder) return;
    while (const dirent* const entry = readdir(folder)) {
      if (!is_name_for(split.name, entry->d_name)) continue;
      const std::string path = split.folder + entry->d_name;
      int handle = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (handle < 0) handle = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (handle < 0) continue;
      if (lock_file(handle) == Locked::here) std::remove(path.c_str());
      close(handle);
    }
    closedir(folder);
#endif
  }

 private:
  static constexpr std::size_t most_of_name = 200;  // the names of files have at most 255 letters
  SINTER_COLD static std::string new_path(const std::string& target) {
    static std::atomic<unsigned> made{0};
    std::timespec now{};
    std::timespec_get(&now, TIME_UTC);
    const auto number = static_cast<unsigned long long>(now.tv_nsec) << 34 ^
                        static_cast<unsigned long long>(now.tv_sec) ^ reinterpret_cast<std::uintptr_t>(&now) << 4;
#if defined(_WIN32)
    const auto process = static_cast<long>(_getpid());
#else
    const auto process = static_cast<long>(getpid());
#endif
    char end[64];
    std::snprintf(end, sizeof end, ".%ld-%u-%016llx.part", process, made.fetch_add(1), number);
    const SplitPath split(target);
    return split.folder + split.name.substr(0, most_of_name) + end;
  }
  SINTER_COLD static bool is_name_for(const std::string& target, std::string_view name) {
    constexpr std::string_view end = ".part";
    const std::string begin = target.substr(0, most_of_name) + ".";
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size()) return false;
    name = name.substr(begin.size(), name.size() - begin.size() - end.size());
    const auto first = name.find('-'), second = name.rfind('-');
    return first > 0 && first + 1 < second && name.size() == second + 17 &&
           name.find_first_not_of("0123456789abcdef-") == name.npos;
  }
  void close_file() {
    if (file_) std::fclose(file_);
    file_ = nullptr;
  }

  std::string path_;
  std::FILE* file_ = nullptr;
  int cause_ = 0;
  bool taken_ = false, renamed_ = false;
};

}  // namespace detail

SINTER_NAMESPACE_END
