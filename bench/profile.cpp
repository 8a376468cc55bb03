// SPDX-License-Identifier: MIT
// Where the time of a training step goes on one thread of the host, for any of a few networks: a line for each part.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/networks.hpp"
#include "support/profile.hpp"
#include "support/w1.hpp"

namespace {

using namespace bench;

constexpr const char* usage =
    "profile [NAME.. | all] [--batch ROWS] [--seconds S] [--data DIR]: where a training step goes, on one thread.\n"
    "Flops are counted as if no zeros were skipped, bytes as what a kernel reads and writes at least. The shares are "
    "of\n"
    "what this run measures: of multiply-adds, and of reading as many bytes as lie between two uses of a number, so "
    "that\n"
    "what a nearer cache still has may pass 100 %. `bound by` is the larger of the two, from 40 % on. NAME: W1 if none "
    "is\n"
    "given, on the embedded digits or the full MNIST in DIR; or one of random inputs";

struct Options {
  std::size_t batch = 0;  // 0: the network's own
  double seconds = 0.5;
  std::string data;
};

template <class Model, class Optimizer = SGD>
void run_random(const char* name, std::size_t batch, const Options& options) {
  const std::size_t rows = std::max<std::size_t>(1024, 2 * batch);
  Tensor<float, typename Network<Model>::InputRow> x(rows);
  std::vector<int> labels(rows);
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  for (std::size_t i = 0; i < rows * Network<Model>::InputRow::size; ++i) x.data()[i] = number(random);
  for (int& label : labels) label = static_cast<int>(random() % static_cast<unsigned>(Model::output_dims.size()));
  profile<Model>(name, dataset(x, labels), CrossEntropyLoss{}, Optimizer{.lr = 0.001}, batch, options.seconds);
}
void run_w1(const char* name, std::size_t batch, const Options& options) {
  const Mnist all = digits(options.data);
  profile<W1>(name, all.train, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5}, batch, options.seconds);
}

struct Entry {
  const char* name;
  std::size_t batch;
  void (*run)(const char*, std::size_t, const Options&);
};
constexpr Entry networks[] = {
    {"W1", 200, run_w1},
    {"lenet-5", 64, run_random<LeNet5>},
    {"vgg", 64, run_random<Vgg>},
    {"resnet-8", 128, run_random<ResNet8>},
    {"784-1024-1024-10", 128, run_random<Digits>},
    {"784-1024-1024-10/adam", 128, run_random<Digits, Adam>},
    {"disc-8", 100, run_random<Disc<8>>},
    {"disc-10", 100, run_random<Disc<10>>},
    {"disc-12", 100, run_random<Disc<12>>},
    {"256-64-64-10", 32, run_random<Folds>},
    {"256-64-64-10/adam", 32, run_random<Folds, Adam>},
    {"17-64-64-6/adam", 256, run_random<Agent, Adam>},
    {"13-40-20-5", 37, run_random<Tabular>},
};

std::string names() {
  std::string all;
  for (const Entry& entry : networks) all += std::string(all.empty() ? "" : ", ") + entry.name;
  return all;
}

/// The number after an option, more than 0.
double number(const std::string& option, const char* text) {
  char* end = nullptr;
  const double value = text ? std::strtod(text, &end) : 0;
  if (!text || *end || !(value > 0))
    throw std::runtime_error(option + " was given \"" + (text ? text : "nothing") + "\"; give it a number above 0");
  return value;
}

}  // namespace

int main(int count, char** values) try {
  Options options;
  std::vector<const Entry*> chosen;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    const char* const next = i + 1 < count ? values[i + 1] : nullptr;
    const std::size_t before = chosen.size();
    if (word == "--help") return std::printf("%s. All: %s\n", usage, names().c_str()) > 0 ? 0 : 1;
    if (word == "--batch" || word == "--seconds" || word == "--data") {
      if (word == "--data" && next)
        options.data = next;
      else if (word == "--batch")
        options.batch = static_cast<std::size_t>(number(word, next));
      else
        options.seconds = number(word, next);
      ++i;
      continue;
    }
    for (const Entry& entry : networks)
      if (word == "all" || word == entry.name) chosen.push_back(&entry);
    if (chosen.size() == before)
      throw std::runtime_error("profile: \"" + word + "\" is no network and no option; give one of " + names() +
                               ", all, or --batch, --seconds, --data, --help");
  }
  if (chosen.empty()) chosen.push_back(&networks[0]);
  for (const Entry* entry : chosen) entry->run(entry->name, options.batch ? options.batch : entry->batch, options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
