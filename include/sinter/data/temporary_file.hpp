// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"
#include "sinter/data/file_lock.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Waits until what was written to a file is on the disk, not only on its way there.
bool sync_file(std::FILE* file);

/// A path as its folder, with the slash, and the name in it.
struct SplitPath {
#if defined(_WIN32)
  static constexpr const char* slashes = "/\\:";
#else
  static constexpr const char* slashes = "/";
#endif
  std::string folder, name;
  explicit SplitPath(const std::string& path)
      : folder(path.substr(0, path.find_last_of(slashes) + 1)), name(path.substr(folder.size())) {}
};

/// A new file next to a target, to be renamed to it: NAME.PROCESS-COUNT-NUMBER.part, a name that no other writer uses.
/// It is locked while it is open, so a file that is not locked was left by a process that has ended. It is removed by
/// the destructor, unless it was renamed.
class TemporaryFile {
 public:
  SINTER_COLD explicit TemporaryFile(const std::string& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  SINTER_COLD ~TemporaryFile();

  /// The number of what went wrong when it was made, or 0.
  int cause() const { return cause_; }
  /// Whether the name was taken: another one may work.
  bool taken() const { return taken_; }

  /// Makes `text` the content of what `target` names, with these permissions unless they are -1. 0, or the number of
  /// what went wrong: then the target is what it was.
  SINTER_COLD int become(const std::string& target, std::string_view text, int mode);

  /// Writes a line, with these permissions, and removes the file: 0, or the number of what went wrong.
  SINTER_COLD int try_out(int mode);

  /// Removes files that ended processes left next to a target.
  SINTER_COLD static void remove_left([[maybe_unused]] const std::string& target);

 private:
  static constexpr std::size_t most_of_name = 200;  // the names of files have at most 255 letters
  SINTER_COLD static std::string new_path(const std::string& target);
  SINTER_COLD static bool is_name_for(const std::string& target, std::string_view name);
  int write(std::string_view text, [[maybe_unused]] int mode);
  void close_file();

  std::string path_;
  std::FILE* file_ = nullptr;
  int cause_ = 0;
  bool taken_ = false, gone_ = false;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/data/temporary_file.ipp"
#endif
