// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sinter/data/file.hpp>
#include <string>
#include <thread>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using sinter::write_file;

namespace {
std::string calls;  // of what follows, which replaces the library's
bool disk_is_full = false;

/// How many files there are in a folder.
auto files_in(const TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path), std::filesystem::directory_iterator());
}
}  // namespace
extern "C" int fsync(int file) {
  calls += "fsync ";
  if (disk_is_full) return errno = ENOSPC, -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  calls += "rename ";
  return static_cast<int>(syscall(SYS_rename, from, to));
}

TEST_CASE("write_file replaces the whole file and leaves nothing else") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.txt";
  write_file(path, "a long first version\n");
  write_file(path, std::string("b\0c", 3));
  CHECK(read_text(path) == std::string("b\0c", 3));
  write_file(path, "");
  CHECK(read_text(path).empty());
  CHECK(files_in(folder) == 1);
}

TEST_CASE("write_file: a path that cannot be written") {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing/a.txt";
  CHECK(error_of([&] { write_file(missing, "x"); }) ==
        "cannot write " + missing +
            ": No such file or directory; give a path in a folder that exists and may be written to");
  const std::string taken = folder / "folder";
  std::filesystem::create_directories(taken + "/full");
  CHECK(error_of([&] { write_file(taken, "x"); }).find("cannot write " + taken + ": ") == 0);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("write_file: a full disk keeps the old file") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.txt";
  write_file(path, "old");
  disk_is_full = true;
  CHECK(error_of([&] { write_file(path, "new"); }).find("cannot write " + path + ": No space left") == 0);
  disk_is_full = false;
  CHECK(read_text(path) == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("write_file says that a disk is full" * doctest::skip(!std::filesystem::exists("/dev/full"))) {
  CHECK(error_of([&] { write_file("/dev/full", "new"); }) ==
        "cannot write /dev/full: No space left on device; make room there, or give a path on another disk");
}

TEST_CASE("write_file follows links, also to a file that is not there yet") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  fs::create_directories(folder / "data");
  write_file(folder / "data/real.txt", "old");
  fs::create_symlink("data/real.txt", folder / "link.txt");
  fs::create_symlink("link.txt", folder / "second.txt");
  write_file(folder / "second.txt", "new");
  CHECK(fs::is_symlink(folder / "second.txt"));
  CHECK(fs::is_symlink(folder / "link.txt"));
  CHECK(read_text(folder / "data/real.txt") == "new");

  fs::create_symlink("data/later.txt", folder / "early.txt");
  write_file(folder / "early.txt", "text");
  CHECK(fs::is_symlink(folder / "early.txt"));
  CHECK(read_text(folder / "data/later.txt") == "text");

  fs::create_symlink("round.txt", folder / "round.txt");
  CHECK(error_of([&] { write_file(folder / "round.txt", "x"); }).find("cannot follow the link ") == 0);
}

TEST_CASE("write_file keeps the permissions of a file") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::string path = folder / "private.txt";
  write_file(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path, "new");
  CHECK(read_text(path) == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("write_file writes to a FIFO and to a device, and leaves them what they are") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = read_text(path); });
  write_file(path, "text");
  reader.join();
  CHECK(got == "text");
  CHECK(fs::is_fifo(path));
  fs::create_symlink("/dev/null", folder / "null");
  write_file(folder / "null", "text");
  CHECK(fs::is_symlink(folder / "null"));
}

TEST_CASE("write_file renames only what is on the disk, and then waits for the new name") {
  const TemporaryFolder folder;
  calls.clear();
  write_file(folder / "a.txt", "text");
  CHECK(calls == "fsync rename fsync ");
}
