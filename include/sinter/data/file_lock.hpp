// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

enum class Locked {
  here,
  elsewhere,  ///< by someone else who has the file open, also in this process
  never       ///< the system or the file system has no locks
};

/// The number of this process; 1 where processes have none.
long process_number();

/// Locks an open file until it is closed, at the latest when its process ends; programs that it starts do not inherit
/// the lock, but a child process of fork() does.
Locked lock_file([[maybe_unused]] int handle);
/// Ends the lock even if a child process of fork() still has the file open.
void unlock_file([[maybe_unused]] int handle);

#if !defined(_WIN32)
/// Whether an open file still has that name.
bool has_name(int handle, const std::string& path);
#endif

/// The lock of a file that is replaced when it is written: a file PATH.lock next to it, which contains the number of
/// this process and is locked as long as this object exists. Nothing is locked if that file cannot be made or the file
/// system has no locks. A process that is killed leaves the file, but not the lock.
class FileLock {
 public:
  explicit FileLock(const std::string& of);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  /// Whether another process or object holds it.
  bool elsewhere() const { return elsewhere_; }
  /// The number of that process; empty where it is not known.
  const std::string& owner() const { return owner_; }
  const std::string& path() const { return path_; }

 private:
  /// Whether the file is a lock: empty, or the number of a process.
  static bool is_lock(int handle);
  /// False if locks are not available, or PATH.lock is a file of another kind, which is left alone.
  bool acquire();

  std::string path_, owner_;
  int handle_ = -1;
  bool elsewhere_ = false;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/data/file_lock.ipp"
#endif
