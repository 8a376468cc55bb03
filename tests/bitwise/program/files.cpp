// SPDX-License-Identifier: MIT
// Trains, stops, resumes, saves and loads beside the file of the argument, in a folder whose name is not ASCII: what
// systems do differently. Writes weights, losses and answers to that file.
#if defined(_WIN32)
#include <windows.h>  // whose functions sinter declares by itself
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/io.hpp"
#include "sinter/sinter.hpp"
#include "train.hpp"

using namespace sinter;
namespace fs = std::filesystem;

namespace {

struct Convolutions : Sequential<Input<1, 8, 9>, Conv2d<6, 3>, MaxPool2d<2>, ReLU, Dropout2d<0.3>, Flatten, Linear<16>,
                                 Tanh, BatchNorm1d<>, Linear<5>, LogSoftmax> {};
std::vector<float> numbers() {
  const auto all = drawn<Shape<1, 8, 9>>(1);
  return {all.values().begin(), all.values().end()};
}
const LabelledData<float, Shape<1, 8, 9>, int> pictures{numbers(), labels()};

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "not as expected: %s\n", what);
  std::exit(1);
}
/// Whether an error has these words in it.
template <class Action>
void require_error(std::string_view words, Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return require(std::string_view(error.what()).find(words) != std::string_view::npos, error.what());
  }
  require(false, "an error was expected");
}

/// After six batches: others who want to write the same files are refused, and Ctrl-C is pressed.
struct SixthBatch {
  bool press = false;
  std::string folder = {};
  int batches = 0;
  void on_batch_end(const BatchInfo&);
};
Network<Convolutions> network() { return Network<Convolutions>{Host{.threads = 2}, {.seed = 7}}; }

/// One kind of fit, which compiles once.
History run(Network<Convolutions>& net, const std::string& checkpoint, const std::string& log, SixthBatch sixth) {
  return fit(net, pictures, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}, {.batch_size = 6, .epochs = 4},
             Checkpoint{.path = checkpoint, .every = 1, .resume = true}, TrainingLog{log},
             TensorBoard{log + ".board/a"}, StopOnInterrupt{}, sixth);
}

void SixthBatch::on_batch_end(const BatchInfo&) {
  if (!press || ++batches != 6) return;
  auto net = network();
  require_error("run.checkpoint is being written by another fit of the process ",
                [&] { run(net, folder + "/run.checkpoint", folder + "/other.csv", {}); });
  require_error("log.csv is being written by another training",
                [&] { run(net, folder + "/other.checkpoint", folder + "/log.csv", {}); });
  std::raise(SIGINT);
}

}  // namespace

int main(int, char** arguments) {
  std::signal(SIGINT, SIG_DFL);  // a job in the background ignores it
  const std::string folder = std::string(arguments[1]) + ".\u00e9\u00df\u65e5\u672c";
#if defined(_WIN32)
  const fs::path there(std::u8string(folder.begin(), folder.end()));
#else
  const fs::path there(folder);
#endif
  fs::remove_all(there);
  fs::create_directories(there);
  const std::string checkpoint = folder + "/run.checkpoint", weights = folder + "/weights.safetensors";

  // Once through, and stopped by Ctrl-C and resumed from a file that replaces itself.
  auto net = network(), resumed = network(), again = network(), loaded = network();
  const History history = run(net, folder + "/whole.checkpoint", folder + "/whole.csv", {});
  write_file(folder + "/log.csv", "old");
  const History stopped = run(resumed, checkpoint, folder + "/log.csv", {true, folder});
  require(stopped.stopped.find("interrupted by Ctrl-C") != stopped.stopped.npos, "that Ctrl-C stops");
  const History rest = run(again, checkpoint, folder + "/log.csv", {});
  require(rest.epochs.size() == 4, "the number of epochs");
  require(rest.epochs.back().train_loss == history.epochs.back().train_loss, "the same loss");
  for (int i = 0; i < decltype(net)::Ops::storage_size; ++i) require(again.data()[i] == net.data()[i], "the weights");
  require(read_file(folder + "/log.csv").size() > 100, "the log");
  require(!fs::exists(there / "run.checkpoint.lock"), "that the lock is gone");
  require(!fs::is_empty(there / "log.csv.board" / "a"), "the files of TensorBoard");

  // A file is replaced, what a killed process left is removed, and errors say what is wrong.
  const fs::path left = there / "weights.safetensors.123-0-0123456789abcdef.part";
  write_file(weights, "old");
  write_file(folder + "/left", "part");
  fs::rename(there / "left", left);
  save(again, weights);
  load(loaded, weights);
  require(!fs::exists(left), "that nothing is left");
  require_error("expected a regular", [&] { load(loaded, folder); });
  require_error("cannot open " + folder + "/no: No such file or directory", [&] { load(loaded, folder + "/no"); });
  require_error("No such file or directory; give a path in a folder that exists",
                [&] { save(net, folder + "/no/weights"); });
  require_error("disk", [] { throw std::runtime_error(detail::write_problem("write", ENOSPC)); });
  const fs::path before = fs::current_path();
  fs::current_path(there);
  const AbsolutePath relative("weights.safetensors");
  fs::current_path(before);
  load(loaded, relative);

  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  write(loaded, to);
  const auto put = [&](double x) { std::fwrite(&x, sizeof x, 1, to); };
  for (const auto& epoch : rest.epochs) put(epoch.train_loss);
  const auto answers = predict(loaded, pictures);
  for (const float y : answers.values()) put(static_cast<double>(y));
  fs::remove_all(there);
  return std::fclose(to);
}
