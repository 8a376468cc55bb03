// SPDX-License-Identifier: MIT
// A training step by one process with two threads, by two ranks of one thread each that divide the rows, and by two that
// divide the layers, in turns.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <sinter/ranks.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/networks.hpp"
#include "support/w1.hpp"

namespace {

using namespace bench;

constexpr const char* usage =
    "ranks [NAME..] [--turns N]: milliseconds of a training step, the least of N turns of 10 steps each, by 2 "
    "threads,\n"
    "by 2 ranks that are threads, with what a rank sends, and by 2 stages on such ranks with 8 micro-batches.\n"
    "NAME: W1, vgg, resnet-8; all if none is given";

struct Rows {
  template <class Row>
  static auto random(std::size_t rows, int classes) {
    std::pair<Tensor<float, Row>, std::vector<int>> all{Tensor<float, Row>(rows), std::vector<int>(rows)};
    std::mt19937 generator(1);
    std::normal_distribution<float> number;
    for (float& x : all.first.values()) x = number(generator);
    for (int& label : all.second) label = static_cast<int>(generator() % static_cast<unsigned>(classes));
    return all;
  }
};

/// Milliseconds of a step, of ten.
template <class Model, class Device, class Loss>
double turn(const Device& device, const auto& rows, const Loss& loss) {
  Network<Model, Device> net(device, {.seed = 1});
  Trainer trainer{net, loss, SGD{.lr = 0.001}};
  for (int i = 0; i < 3; ++i) trainer.step(rows.first, rows.second);
  constexpr int steps = 10;
  const double begin = monotonic_seconds();
  for (int i = 0; i < steps; ++i) trainer.step(rows.first, rows.second);
  return 1e3 * (monotonic_seconds() - begin) / steps;
}

/// The second stage begins with layer `Cut`.
template <class Model, class Loss, int Cut>
void compare(const char* name, std::size_t batch, int turns) {
  const auto rows = Rows::random<typename Network<Model>::InputRow>(batch, Model::output_dims.size());
  double by_threads = 1e9, by_ranks = 1e9, by_stages = 1e9;
  StepTraffic sent;
  for (int i = 0; i < turns; ++i) {
    by_threads = std::min(by_threads, turn<Model>(Host{.threads = 2}, rows, Loss{}));
    Threads(2).run([&](Communicator& world) {
      const Pipeline<At<Cut>> stages{world, Host{.threads = 1}, {.micro_batches = 8}};
      const double took = turn<Model>(stages, rows, Loss{});
      if (world.rank() == 0) by_stages = std::min(by_stages, took);
    });
    Threads(2).run([&](Communicator& world) {
      const double took = turn<Model>(Ranks<Host>{world, Host{.threads = 1}}, rows, Loss{});
      if (world.rank() != 0) return;
      by_ranks = std::min(by_ranks, took);
      sent = step_traffic(Network<Model, Ranks<Host>>{}, batch, 2);
    });
  }
  std::printf("%-10s %5zu %11.2f %11.2f %10.2f %10lld %11.2f %10.2f\n", name, batch, by_threads, by_ranks,
              by_ranks / by_threads, sent.bytes, by_stages, by_stages / by_threads);
  std::fflush(stdout);
}

struct Entry {
  const char* name;
  std::size_t batch;
  void (*run)(const char*, std::size_t, int);
};
constexpr Entry networks[] = {
    {"W1", 200, compare<W1, NLLLoss, 3>},
    {"vgg", 64, compare<Vgg, CrossEntropyLoss, 5>},
    {"resnet-8", 128, compare<ResNet8, CrossEntropyLoss, 5>},
};

}  // namespace

int main(int count, char** values) try {
  std::vector<Entry> chosen;
  int turns = 5;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word == "--help") return std::printf("%s\n", usage) > 0 ? 0 : 1;
    const auto* const entry =
        std::find_if(std::begin(networks), std::end(networks), [&](const Entry& one) { return word == one.name; });
    if (entry != std::end(networks))
      chosen.push_back(*entry);
    else if (word == "--turns" && i + 1 < count && std::atoi(values[i + 1]) > 0)
      turns = std::atoi(values[++i]);
    else
      throw std::runtime_error("ranks: \"" + word + "\" is no network and no option with its value; give W1, vgg, " +
                               "resnet-8, --turns with a number above 0, or --help");
  }
  if (chosen.empty()) chosen.assign(std::begin(networks), std::end(networks));
  std::printf("%-10s %5s %11s %11s %10s %10s %11s %10s\n", "network", "batch", "2 threads", "2 ranks", "ratio", "bytes",
              "2 stages", "ratio");
  for (const Entry& entry : chosen) entry.run(entry.name, entry.batch, turns);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
