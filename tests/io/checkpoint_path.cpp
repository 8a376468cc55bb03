// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sinter/io/fit_checkpoint.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"
#include "support/file_attribute.hpp"

using sinter::Checkpoint;
using sinter_test::FileAttribute;
namespace fs = std::filesystem;

namespace {

/// What fit says of a path when it begins.
std::string refusal(const std::string& path) {
  return error_of([&] { Checkpoint{.path = path}.hold_during_fit(); });
}
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}
using Names = std::vector<std::string>;

/// What a child process answers.
template <class F>
std::string in_child(F&& answer) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string text = answer();
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string all;
  char part[512];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return all;
}

const std::string not_permitted =
    ": Operation not permitted; give a path in a folder that exists and may be written to";

}  // namespace

TEST_CASE("a path is tried out, and what is there stays as it was") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  CHECK(refusal(path) == "(no error)");
  CHECK(names_in(folder.path).empty());
  write_bytes(path, std::string("old"));
  fs::permissions(path, fs::perms::owner_read);
  fs::create_symlink("run", folder / "link");
  const auto written = fs::last_write_time(path);
  for (const char* name : {"run", "link"}) CHECK(refusal(folder / name) == "(no error)");
  CHECK(read_text(path) == "old");
  CHECK(fs::last_write_time(path) == written);
  CHECK(names_in(folder.path) == Names{"link", "run"});
}

TEST_CASE("a FIFO, a socket or a device is no place for a checkpoint") {
  const TemporaryFolder folder;
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string socket_path = folder / "socket";
  REQUIRE(socket_path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  const int handle = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  fs::create_symlink("/dev/null", folder / "device");
  for (const char* name : {"fifo", "socket", "device"})
    CHECK(refusal(folder / name) ==
          "cannot write " + (folder / name) + ": a FIFO, a socket or a device has this name; give the path of a file");
  CHECK(names_in(folder.path) == Names{"device", "fifo", "socket"});
  close(handle);
}

TEST_CASE("a limit of no byte in a file") {
  const TemporaryFolder folder;
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const rlimit none{0, limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
  const std::string error = refusal(folder / "run");
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  signal(SIGXFSZ, handler);
  CHECK(has(error, "cannot write " + (folder / "run") + ": File too large"));
  CHECK(names_in(folder.path).empty());
}

TEST_CASE("a file that is mounted can be written, but not replaced") {
  const TemporaryFolder folder;
  const std::string path = folder / "run", other = folder / "other";
  for (const std::string& name : {path, other}) write_bytes(name, std::string("old"));
  const std::string answer = in_child([&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(other.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0)
      return std::string("not here");
    const std::string early = refusal(path), late = error_of([&] { sinter::write_file(path, "new"); });
    return early == late ? early : early + " and " + late;
  });
  CHECK(names_in(folder.path) == Names{"other", "run"});
  CHECK(read_text(other) == "old");
  if (answer != "not here")
    CHECK(answer == "cannot write " + path +
                        ": Device or resource busy; if the file itself is mounted, mount its folder, or give another "
                        "path");
}

TEST_CASE("a file of another user in a sticky folder" * doctest::skip(geteuid() != 0)) {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  write_bytes(path, std::string("old"));
  REQUIRE(chmod(folder.path.c_str(), 01777) == 0);
  const auto as_another = [&](const std::string& of) {
    return in_child([&] { return setgid(65534) == 0 && setuid(65534) == 0 ? refusal(of) : "not here"; });
  };
  CHECK(as_another(path) == "cannot write " + path + not_permitted);
  CHECK(as_another(folder / "own") == "(no error)");
  CHECK(read_text(path) == "old");
  CHECK(names_in(folder.path) == Names{"run"});
}

TEST_CASE("a file that is immutable, and a folder or a file that only grows") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  write_bytes(path, std::string("old"));
  const auto refused = [&](const std::string& of, const std::string& where, int flag) {
    const FileAttribute attribute(where, flag);
    if (attribute) CHECK(refusal(of) == "cannot write " + of + not_permitted);
  };
  refused(path, path, FS_IMMUTABLE_FL);
  refused(path, path, FS_APPEND_FL);
  refused(path, folder.path, FS_APPEND_FL);
  refused(folder / "new", folder.path, FS_APPEND_FL);
  CHECK(refusal(path) == "(no error)");
  CHECK(read_text(path) == "old");
  CHECK(names_in(folder.path) == Names{"run"});
}
