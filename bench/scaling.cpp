// SPDX-License-Identifier: MIT
// What a training step would take on 2 to 64 threads of the host, predicted from its parts on one, and what bounds it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/networks.hpp"
#include "support/scaling.hpp"
#include "support/w1.hpp"

namespace {

using namespace bench;

constexpr const char* usage =
    "scaling [NAME..] [--seconds S] [--data DIR]: a training step and an evaluation of all rows on 1 to 64 threads,\n"
    "predicted from the time of each part on one thread, beside what as many cores as there are take. Threads claim\n"
    "parts of the batch in their order; a hand-over is measured with two threads, and counted once for each doubling;\n"
    "the memory that cores share is taken to be as fast for all as for one. `mostly`: the largest of the columns.\n"
    "NAME: all if none is given; W1 trains on the embedded digits or the full MNIST in DIR, others on random inputs";

struct Options {
  double seconds = 1;
  std::string data;
};

template <class Model>
void run_random(const char* name, std::size_t batch, const Options& options) {
  const std::size_t rows = 8 * batch;
  Tensor<float, typename Network<Model>::InputRow> x(rows);
  std::vector<int> labels(rows);
  std::mt19937 random(1);
  std::normal_distribution<float> number;
  for (std::size_t i = 0; i < rows * Network<Model>::InputRow::size; ++i) x.data()[i] = number(random);
  for (int& label : labels) label = static_cast<int>(random() % static_cast<unsigned>(Model::output_dims.size()));
  scaling<Model>(name, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.001}, batch, options.seconds);
}
void run_w1(const char* name, std::size_t batch, const Options& options) {
  const Mnist all = digits(options.data);
  scaling<W1>(name, subset(all.train, 0, 10000), NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5}, batch, options.seconds);
}

struct Entry {
  const char* name;
  std::size_t batch;
  void (*run)(const char*, std::size_t, const Options&);
};
constexpr Entry networks[] = {
    {"W1", 200, run_w1},
    {"vgg", 64, run_random<Vgg>},
    {"vgg/512", 512, run_random<Vgg>},
    {"resnet-8", 128, run_random<ResNet8>},
    {"784-1024-1024-10", 128, run_random<Digits>},
};

}  // namespace

int main(int count, char** values) try {
  Options options;
  std::vector<Entry> chosen;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    const bool has_next = i + 1 < count;
    if (word == "--help") return std::printf("%s\n", usage) > 0 ? 0 : 1;
    const std::size_t before = chosen.size();
    for (const Entry& entry : networks)
      if (word == entry.name) chosen.push_back(entry);
    if (chosen.size() > before) continue;
    if (word == "--data" && has_next) {
      options.data = values[++i];
    } else if (word == "--seconds" && has_next && std::atof(values[i + 1]) > 0) {
      options.seconds = std::atof(values[++i]);
    } else {
      std::string names;
      for (const Entry& entry : networks) names += std::string(entry.name) + ", ";
      throw std::runtime_error("scaling: \"" + word + "\" is no network and no option with its value; give one of " +
                               names + "--seconds with a number above 0, --data with a folder, or --help");
    }
  }
  if (chosen.empty()) chosen.assign(std::begin(networks), std::end(networks));
  for (const Entry& entry : chosen) entry.run(entry.name, entry.batch, options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
