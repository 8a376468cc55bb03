// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#else
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "sinter/core/wall_clock.hpp"
#include "sinter/data/system_file.hpp"
#include "sinter/data/temporary_file.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION bool sync_file(std::FILE* file) {
#if defined(_WIN32)
  return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
#else
  return std::fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP);  // a pipe cannot
#endif
}

SINTER_FUNCTION TemporaryFile::TemporaryFile(const std::string& target) : path_(new_path(target)) {
#if defined(_WIN32)
  const int handle = open_locked(path_, _O_WRONLY | _O_CREAT | _O_EXCL);
  file_ = handle < 0 ? nullptr : _fdopen(handle, "wb");
  cause_ = file_ ? 0 : errno;
  taken_ = cause_ == EEXIST;
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

SINTER_FUNCTION TemporaryFile::~TemporaryFile() {
#if defined(_WIN32)  // where an open file cannot be removed
  const bool left = file_ != nullptr;
  close_file();
  if (left) remove_file(path_);
#else
  if (file_ && !gone_) std::remove(path_.c_str());
  close_file();
#endif
}

SINTER_FUNCTION int TemporaryFile::write(std::string_view text, [[maybe_unused]] int mode) {
  if (cause_ != 0) return cause_;
#if !defined(_WIN32) && !defined(__wasi__)  // which have no modes
  if (mode >= 0 && fchmod(fileno(file_), static_cast<mode_t>(mode)) != 0) return errno;
#endif
  return std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0 ? 0 : errno;
}

SINTER_FUNCTION int TemporaryFile::try_out(int mode) {
  if (const int cause = write("\n", mode); cause != 0) return cause;
#if defined(_WIN32)
  close_file();
  return remove_file(path_) ? 0 : errno;
#else
  gone_ = std::remove(path_.c_str()) == 0 || errno == ENOENT;
  return gone_ ? 0 : errno;
#endif
}

SINTER_FUNCTION int TemporaryFile::become(const std::string& target, std::string_view text, int mode) {
  if (const int cause = write(text, mode); cause != 0) return cause;
  if (!sync_file(file_)) return errno;
#if defined(_WIN32)
  close_file();
  std::error_code error;
  // A file that someone reads cannot be replaced there, so it waits for a reader, a second at most.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::filesystem::rename(system_path(path_), system_path(target), error);
    gone_ = !error;
    if (gone_ || !is_writable(target)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  taken_ = !gone_ && !exists(path_);
  if (!gone_ && !taken_) remove_file(path_);
  return gone_ ? 0 : error.default_error_condition().value();
#else
  gone_ = std::rename(path_.c_str(), target.c_str()) == 0;
  const int cause = gone_ ? 0 : errno;
  taken_ = cause == ENOENT;  // where locks do not reach other machines
  return cause;
#endif
}

SINTER_FUNCTION void TemporaryFile::remove_left([[maybe_unused]] const std::string& target) {
  const SplitPath split(target);
#if defined(_WIN32)  // where a file that its process has open cannot be removed
  std::error_code error;
  const std::filesystem::path folder(system_path(split.folder.empty() ? "." : split.folder));
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().u8string();
    const std::string part(name.begin(), name.end());
    if (is_name_for(split.name, part)) remove_file(split.folder + part);
  }
#else
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

SINTER_FUNCTION std::string TemporaryFile::new_path(const std::string& target) {
  static std::atomic<unsigned> made{0};
  const timespec now = wall_clock();
  const auto number = static_cast<unsigned long long>(now.tv_nsec) << 34 ^ static_cast<unsigned long long>(now.tv_sec) ^
                      reinterpret_cast<std::uintptr_t>(&now) << 4;
  const long process = process_number();
  char end[64];
  std::snprintf(end, sizeof end, ".%ld-%u-%016llx.part", process, made.fetch_add(1), number);
  const SplitPath split(target);
  return split.folder + split.name.substr(0, most_of_name) + end;
}

SINTER_FUNCTION bool TemporaryFile::is_name_for(const std::string& target, std::string_view name) {
  constexpr std::string_view end = ".part";
  const std::string begin = target.substr(0, most_of_name) + ".";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size()) return false;
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  const auto first = name.find('-'), second = name.rfind('-');
  return first > 0 && first + 1 < second && name.size() == second + 17 &&
         name.find_first_not_of("0123456789abcdef-") == name.npos;
}

SINTER_FUNCTION void TemporaryFile::close_file() {
  if (file_) std::fclose(file_);
  file_ = nullptr;
}

}  // namespace detail

SINTER_NAMESPACE_END
