// SPDX-License-Identifier: MIT
// One network of bench/levels.py, trained for one epoch on one thread: prints the milliseconds of the processor, and a
// hash of the bits of the parameters. Arguments: rows, and rows in a batch.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <sinter/sinter.hpp>
#include <vector>

#include "networks.hpp"
#include "w1.hpp"

namespace {

using namespace bench;
using Model = NETWORK;

double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

int main(int, char** values) {
  const auto rows = std::strtoul(values[1], nullptr, 10), batch = std::strtoul(values[2], nullptr, 10);
  std::mt19937 random(1);  // its numbers are the same everywhere, those of a distribution are not
  Tensor<float, Model::InputRow> x(rows);
  for (float& number : x.values()) number = static_cast<float>(random() % 512) / 256 - 1;
  std::vector<int> labels(rows);
  for (int& label : labels) label = static_cast<int>(random() % Model::OutputRow::size);

  Network<Model> net{Host{.threads = 1}, {.seed = 1}};
  const double begin = processor_milliseconds();
  fit(net, dataset(x, labels), LOSS{}, SGD{.lr = 0.01, .momentum = 0.9}, {.batch_size = batch, .epochs = 1});
  const double took = processor_milliseconds() - begin;

  std::uint64_t hash = 14695981039346656037u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(net.data());
  for (std::size_t i = 0; i < sizeof(float) * Program<Model>::storage_size; ++i)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  std::printf("%.3f %016llx\n", took, static_cast<unsigned long long>(hash));
}
