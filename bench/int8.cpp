// SPDX-License-Identifier: MIT
// Accuracy and time of networks in 8 bits beside float, on one thread.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <sinter/int8.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sinter;

namespace {

constexpr const char* usage =
    "int8 [--data DIR] [--rounds N]: trains networks on MNIST, and prints their accuracy and their time for 1 and 64\n"
    "rows in float and in 8 bits: microseconds of the processor, the median of N interleaved rounds, in brackets the\n"
    "largest by the smallest. Without a folder with MNIST it takes the digits of the repository.";

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>,
                          MaxPool2d<2>, ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
struct Wide : Sequential<Input<1, 28, 28>, Conv2d<32, 3>, ReLU, Conv2d<32, 3>, ReLU, MaxPool2d<2>, Conv2d<64, 3>, ReLU,
                         Conv2d<64, 3>, ReLU, MaxPool2d<2>, Flatten, Linear<128>, ReLU, Linear<10>, LogSoftmax> {};
struct Perceptron
    : Sequential<Input<1, 28, 28>, Flatten, Linear<1024>, ReLU, Linear<1024>, ReLU, Linear<10>, LogSoftmax> {};

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
template <class Work>
double time_of(const Work& work) {
  const double begin = seconds();
  int calls = 0;
  do work(), ++calls;
  while (seconds() - begin < 0.1);
  return 1e6 * (seconds() - begin) / calls;
}
struct Spread {
  std::vector<double> all;
  void add(double time) { all.insert(std::upper_bound(all.begin(), all.end(), time), time); }
  double median() const { return all[all.size() / 2]; }
  double ratio() const { return all.back() / all.front(); }
};

template <class Model>
void measure(const char* name, const Mnist& digits, int epochs, int rounds) {
  Network<Model> net{{.seed = 1}};
  fit(net, digits.train, NLLLoss{}, Adam{}, {.batch_size = 50, .epochs = epochs});
  const auto quantized = quantize(net, subset(digits.train, 0, 200));
  const double right = score(net, digits.test), right_int8 = score(quantized, digits.test);
  std::printf("| %s | %.2f %% | %.2f %% |", name, 100 * right, 100 * right_int8);
  auto workspace = net.workspace(64);
  auto workspace_int8 = quantized.workspace(64);
  for (const std::size_t rows : {1u, 64u}) {
    const auto x = subset(digits.test, 0, rows);
    Spread by_float, by_int8;
    for (int i = 0; i < rounds; ++i) {
      by_float.add(time_of([&] { net.forward(x, workspace); }));
      by_int8.add(time_of([&] { quantized.forward(x, workspace_int8); }));
    }
    std::printf(" %.1f (%.2f) | %.1f (%.2f) |", by_float.median(), by_float.ratio(), by_int8.median(), by_int8.ratio());
    std::printf(" %.2f |", by_float.median() / by_int8.median());
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) try {
  std::string folder = SINTER_MNIST_SUBSET;
  int rounds = 5;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word == "--help") return std::printf("%s\n", usage) > 0 ? 0 : 1;
    if (word == "--data" && i + 1 < count)
      folder = values[++i];
    else if (word == "--rounds" && i + 1 < count && std::atoi(values[i + 1]) > 0)
      rounds = std::atoi(values[++i]);
    else
      throw std::runtime_error("int8: \"" + word + "\" is no option with its value; give --data with a folder, " +
                               "--rounds with a number above 0, or --help");
  }
  const Mnist digits = read_mnist(folder);
  std::printf("by %s\n\n", internal::int8::Native::name);
  std::printf("| network | float | int8 | 1 row, float | int8 | ratio | 64 rows, float | int8 | ratio |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|\n");
  measure<LeNet>("LeNet", digits, 3, rounds);
  measure<Wide>("convolutions of 32 and 64 channels", digits, 1, rounds);
  measure<Perceptron>("784-1024-1024-10", digits, 2, rounds);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
