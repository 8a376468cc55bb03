// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sinter/io.hpp>
#include <string>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"

using namespace sinter;
namespace fs = std::filesystem;

namespace {

struct Model : Sequential<Input<2>, Linear<2>> {};
const auto train = disc(40, 1);

/// Four epochs of four batches.
template <class... Callbacks>
History run(Callbacks&&... callbacks) {
  Network<Model> net{NetworkOptions{.seed = 1}};
  return fit(net, train, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 10, .epochs = 4}, callbacks...);
}
/// Does something after the first batch.
template <class Action>
struct Once {
  Action action;
  bool done = false;
  void on_batch_end(const BatchInfo&) {
    if (!done) action();
    done = true;
  }
};
std::string refusal(const std::string& path) {
  return "the checkpoint " + path + " is being written by another fit of the process " + std::to_string(getpid()) +
         "; wait until that ends or stop it, or give this one another path";
}
bool is_locked(const std::string& path) { return fs::exists(path + ".lock"); }

bool no_locks = false;  // as on a file system that has none

}  // namespace

extern "C" int flock(int file, int how) noexcept {
  if (no_locks) return errno = ENOLCK, -1;
  return static_cast<int>(syscall(SYS_flock, file, how));
}

TEST_CASE("of two fits that write one checkpoint, the second is refused before it has changed anything") {
  const TemporaryFolder folder;
  const std::string path = folder / "run", log = folder / "log.csv";
  write_file(log, "mine");
  std::string error;
  const History history =
      run(Checkpoint{.path = path}, Once{[&] {
            fs::create_symlink("run", folder / "link");
            CHECK(is_locked(path));
            error = error_of([&] { run(TrainingLog{.path = log}, Checkpoint{.path = path}); });
            CHECK(error_of([&] { run(Checkpoint{.path = folder / "link"}); }) == refusal(folder / "link"));
            CHECK(run(Checkpoint{.path = folder / "other"}).stopped.empty());
          }});
  CHECK(error == refusal(path));
  CHECK(read_text(log) == "mine");
  CHECK(history.epochs.size() == 4);
  CHECK_FALSE(is_locked(path));
  CHECK(run(Checkpoint{.path = path, .resume = true}).epochs.size() == 4);
}

TEST_CASE("a fit that fails gives its files back, also where the callbacks live on") {
  const TemporaryFolder folder;
  const std::string path = folder / "run", log = folder / "log.csv";
  struct Broken {};
  Checkpoint checkpoint{.path = path};
  TrainingLog training_log{.path = log};
  TensorBoard board{.folder = folder / "board"};
  const auto fails = [] { throw Broken{}; };
  CHECK_THROWS_AS(run(checkpoint, training_log, board, Once<decltype(fails)>{fails}), Broken);
  CHECK_FALSE(is_locked(path));
  CHECK(run(Checkpoint{.path = path}, TrainingLog{.path = log}).stopped.empty());
  CHECK(run(checkpoint, training_log, board).stopped.empty());
}

TEST_CASE("two fits that write one log: the second is refused, and the log is that of the first") {
  const TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  std::string error;
  const History history =
      run(TrainingLog{.path = log}, Once{[&] {
            error = error_of([&] { run(TrainingLog{.path = log}); });
            run(TensorBoard{.folder = folder / "runs"}, Once{[&] { run(TensorBoard{.folder = folder / "runs"}); }});
          }});
  CHECK(error == log + " is being written by another training; wait until it ends, or give this one another path");
  CHECK(read_text(log) == history.csv_text());
}

TEST_CASE("the lock of a checkpoint dies with its process") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    run(Checkpoint{.path = path, .every = 1}, Once{[&] {
          if (write(ready[1], "", 1) != 1) _exit(1);
          pause();
        }});
    _exit(0);
  }
  char byte;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK(has(error_of([&] { run(Checkpoint{.path = path, .resume = true}); }),
            "by another fit of the process " + std::to_string(child) + ";"));
  kill(child, SIGKILL);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(is_locked(path));  // the file is left, but no one has locked it
  CHECK(run(Checkpoint{.path = path, .resume = true}).epochs.size() == 4);
  CHECK_FALSE(is_locked(path));
}

TEST_CASE("where there are no locks, or no file for one, nothing is refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "run", log = folder / "log.csv";
  no_locks = true;
  const History history = run(Checkpoint{.path = path}, TrainingLog{.path = log}, Once{[&] {
                                CHECK_FALSE(is_locked(path));
                                CHECK(run(Checkpoint{.path = path}, TrainingLog{.path = log}).epochs.size() == 4);
                              }});
  no_locks = false;
  CHECK(history.stopped.empty());
  CHECK(run(Checkpoint{.path = path, .resume = true}).epochs.size() == 4);
  fs::create_directories(path + ".lock");
  CHECK(run(Checkpoint{.path = path, .resume = true}).epochs.size() == 4);
  CHECK(fs::is_directory(path + ".lock"));
}

TEST_CASE("a file of another kind that has the name of the lock is left alone") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  write_file(path + ".lock", "a file of others");
  run(Checkpoint{.path = path});
  CHECK(read_text(path + ".lock") == "a file of others");
}

TEST_CASE("a callback writes where its relative path was when it was made") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::create_directories(folder / "elsewhere");
  fs::current_path(folder.path);
  Checkpoint checkpoint{.path = "run", .every = 1};
  TrainingLog log{.path = "log.csv"};
  TensorBoard board{.folder = "board"};
  fs::current_path("elsewhere");
  run(checkpoint, log, board, Once{[&] { fs::current_path(folder.path + "/elsewhere"); }});
  fs::current_path(before);
  CHECK(fs::is_empty(folder / "elsewhere"));
  for (const char* name : {"run", "log.csv", "board"}) CHECK(fs::exists(folder / name));
}
