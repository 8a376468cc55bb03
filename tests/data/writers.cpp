// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <sinter/data/absolute_path.hpp>
#include <sinter/data/file.hpp>
#include <sinter/data/growing_file.hpp>
#include <string>
#include <thread>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"
#include "support/file_attribute.hpp"

using sinter::write_file;
namespace fs = std::filesystem;

namespace {

bool no_locks = false;  // as on a file system that has none
std::string lost;       // the next temporary file that is renamed to this goes before

/// A text that shows by itself whether it is whole: one letter, 100,000 times or more, and how often.
std::string whole_text(unsigned number) {
  const std::string letters(100000 + number * 7919 % 100000, static_cast<char>('a' + number % 26));
  return letters + std::to_string(letters.size());
}
bool is_whole(const std::string& text) {
  const auto end = text.find_first_not_of(text.empty() ? 'a' : text[0]);
  return end != text.npos && end >= 100000 && text.substr(end) == std::to_string(end);
}
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}
using Names = std::vector<std::string>;

/// A child that does `work` until it is killed.
template <class Work>
pid_t start(Work&& work) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    try {
      work();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  return child;
}
void kill_child(pid_t child) {
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));  // it had not failed before
}

}  // namespace

extern "C" int flock(int file, int how) noexcept {
  if (no_locks) return errno = ENOLCK, -1;
  return static_cast<int>(syscall(SYS_flock, file, how));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  if (to == lost) {
    lost.clear();
    unlink(from);
  }
  return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

TEST_CASE("writers of one file that are killed at 200 random moments leave it whole, and nothing beside it") {
  const TemporaryFolder folder;
  const std::string path = folder / "shared.txt", other = folder / "shared.txt.1";
  write_file(path, whole_text(0));
  for (unsigned round = 0; round < 50; ++round) {
    std::vector<pid_t> writers;
    for (unsigned w = 0; w < 4; ++w)
      writers.push_back(start([&] {
        for (unsigned i = 0;; ++i) write_file(w == 3 ? other : path, whole_text(round + i + w));
      }));
    for (unsigned w = 0; w < 4; ++w) {
      usleep((round * 7919 + w * 104729) % 3000);
      CHECK(is_whole(read_text(path)));
      kill_child(writers[w]);
    }
    CHECK(is_whole(read_text(path)));
    // No writer has left more than what it was writing, and those that follow removed it.
    CHECK(names_in(folder.path).size() <= 6);
  }
  write_file(path, "the end");
  write_file(other, "the end");
  CHECK(names_in(folder.path) == Names{"shared.txt", "shared.txt.1"});
}

TEST_CASE("threads of one process write one file, the last one wins") {
  const TemporaryFolder folder;
  const std::string path = folder / "shared.txt";
  write_file(path, whole_text(0));
  std::atomic<int> writing = 4, broken = 0, failed = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 25; ++i) failed += error_of([&] { write_file(path, whole_text(25 * t + i)); })[0] != '(';
      --writing;
    });
  while (writing > 0) broken += !is_whole(read_text(path));
  for (auto& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(broken == 0);
  write_file(path, "last");
  CHECK(read_text(path) == "last");
  CHECK(names_in(folder.path) == Names{"shared.txt"});
}

TEST_CASE("what a writer has left is removed, what one is writing and what others own is not") {
  const TemporaryFolder folder;
  const std::string end = "-0-0123456789abcdef.part";
  const std::string left = "a.txt.1" + end, live = "a.txt.2" + end, of_other = "b.txt.1" + end;
  const Names others = {"a.txt.1-0-0123456789abcde.part", "a.txt.part", "a.txt.x" + end, of_other};
  for (const std::string& name : others) write_bytes(folder / name, std::string("mine"));
  for (const std::string& name : {left, live}) write_bytes(folder / name, std::string("part"));
  const int handle = open((folder / live).c_str(), O_RDONLY);
  REQUIRE(flock(handle, LOCK_EX) == 0);
  write_file(folder / "a.txt", "new");
  Names expected = others;
  expected.insert(expected.end(), {"a.txt", live});
  std::sort(expected.begin(), expected.end());
  CHECK(names_in(folder.path) == expected);

  close(handle);
  no_locks = true;  // then no one knows whose it is
  write_file(folder / "a.txt", "newer");
  CHECK(names_in(folder.path) == expected);
  no_locks = false;
  write_file(folder / "a.txt", "newest");
  expected.erase(std::find(expected.begin(), expected.end(), live));
  CHECK(names_in(folder.path) == expected);
  CHECK(read_text(folder / "a.txt") == "newest");
}

TEST_CASE("a temporary file that another machine has removed is written again") {
  const TemporaryFolder folder;
  lost = folder / "a.txt";
  write_file(folder / "a.txt", "text");
  CHECK(lost.empty());
  CHECK(read_text(folder / "a.txt") == "text");
  CHECK(names_in(folder.path) == Names{"a.txt"});
}

TEST_CASE("an empty path is refused, and nothing is written") {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  CHECK(error_of([] { write_file("", "text"); }).find("the path of a file to write is empty") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder / ""));
  std::filesystem::current_path(before);
}

TEST_CASE("the longest name that a file may have can be written") {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "text");
  CHECK(names_in(folder.path) == Names{name});
}

TEST_CASE("a growing file has one writer, until it ends") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  sinter::internal::GrowingFile first, second;
  first.open(path);
  first.add("1\n");
  CHECK(error_of([&] { second.open(path); }) ==
        path + " is being written by another training; wait until it ends, or give this one another path");
  first.add("2\n");
  CHECK(read_text(path) == "1\n2\n");
  first.close();
  second.open(path);
  second.add("3\n");
  CHECK(read_text(path) == "3\n");
  second.close();

  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = start([&] {
    sinter::internal::GrowingFile file;
    file.open(path);
    file.add(std::string(9999, 'x') + "\n");
    if (write(ready[1], "", 1) != 1) _exit(1);
    while (true) file.add(std::string(9999, 'x') + "\n");
  });
  char byte;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK(has(error_of([&] { first.open(path); }), "is being written by another training"));
  usleep(3000);
  kill_child(child);
  const std::string text = read_text(path);
  const std::string line =
      std::string(9999, 'x') + "\n";  // whole ones, but the last: a write is killed between two pages
  for (std::size_t at = 0; at < text.size(); at += line.size())
    CHECK(text.substr(at, line.size()) == line.substr(0, text.size() - at));
  first.open(path);
  CHECK(read_text(path) == text);  // until there is something new
  first.add("4\n");
  CHECK(read_text(path) == "4\n");
}

TEST_CASE("a growing file whose content cannot be replaced is refused when it is opened") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  write_bytes(path, std::string("old"));
  sinter::internal::GrowingFile file;
  if (const sinter_test::FileAttribute append(path, FS_APPEND_FL); append)
    CHECK(error_of([&] { file.open(path); }) ==
          "cannot replace " + path +
              ": Operation not permitted; give a path in a folder that exists and may be written to");
  CHECK(error_of([&] { file.open(path); }) == "(no error)");
  CHECK(read_text(path) == "old");
}

TEST_CASE("a child process of fork() neither keeps the lock of a growing file nor ends it") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  sinter::internal::GrowingFile first, second;
  first.open(path);
  int closed[2], go_on[2];
  REQUIRE(pipe(closed) == 0);
  REQUIRE(pipe(go_on) == 0);
  char byte = 0;
  const auto wait = [&] { return read(go_on[0], &byte, 1) == 1; };

  const pid_t closes = start([&] {
    first.close();
    if (write(closed[1], "", 1) != 1) _exit(1);
    while (wait()) {
    }
  });
  REQUIRE(read(closed[0], &byte, 1) == 1);
  CHECK(has(error_of([&] { second.open(path); }), "is being written by another training"));
  kill_child(closes);

  const pid_t waits = start([&] {
    while (wait()) {
    }
  });
  first.close();
  CHECK(error_of([&] { second.open(path); }) == "(no error)");
  kill_child(waits);
}

TEST_CASE("no part of an addition stays where there was no room for all of it") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  sinter::internal::GrowingFile file;
  file.open(path);
  CHECK(file.add("1,2,3\n"));
  rlimit before;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit ten{10, before.rlim_max};
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &ten) == 0);
  const bool added = file.add("4,5,6\n");
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  signal(SIGXFSZ, handler);
  CHECK_FALSE(added);
  CHECK(has(file.problem(), "cannot write " + path));
  CHECK(read_text(path) == "1,2,3\n");
  CHECK(file.add("7,8,9\n"));
  CHECK(read_text(path) == "1,2,3\n7,8,9\n");
}

TEST_CASE("a relative path is taken from the folder in which it was given") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  const std::string here = fs::current_path().string();
  const sinter::internal::AbsolutePath path = "runs/a.txt", root("/a.txt"), of_text = std::string("b"), empty("");
  fs::current_path(before);
  CHECK(path == here + "/runs/a.txt");
  CHECK(root == "/a.txt");
  CHECK(of_text == here + "/b");
  CHECK(empty.empty());
  const sinter::internal::AbsolutePath copy = path;
  CHECK(copy == path);
}
