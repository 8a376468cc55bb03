// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

namespace sinter_test {

/// An attribute of a file or a folder, such as FS_IMMUTABLE_FL (chattr +i), until the destructor.
class FileAttribute {
 public:
  FileAttribute(const std::string& path, int flag) : handle_(open(path.c_str(), O_RDONLY)) {
    set_ = ioctl(handle_, FS_IOC_GETFLAGS, &before_) == 0 && change(before_ | flag);
  }
  FileAttribute(const FileAttribute&) = delete;
  FileAttribute& operator=(const FileAttribute&) = delete;
  ~FileAttribute() {
    if (set_) change(before_);
    close(handle_);
  }
  /// Only root may, and not on every file system.
  explicit operator bool() const { return set_; }

 private:
  bool change(int flags) const { return ioctl(handle_, FS_IOC_SETFLAGS, &flags) == 0; }
  int handle_, before_ = 0;
  bool set_ = false;
};

}  // namespace sinter_test
