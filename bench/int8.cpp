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

#include "support/flops.hpp"

using namespace sinter;

namespace {

constexpr const char* usage =
    "int8 [--data DIR] [--rounds N] [--times]: trains networks on MNIST, and prints their accuracy and their time for "
    "1\n"
    "and 64 rows in float and in 8 bits: microseconds of the processor, the median of N interleaved rounds, in "
    "brackets\n"
    "the largest by the smallest; float by 8 bits, and the share of the peak, which is measured in each round: "
    "medians,\n"
    "too. Without a folder with MNIST it takes the digits of the repository. With --times it neither trains nor "
    "prints\n"
    "accuracies.";

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
  while (seconds() - begin < 0.02);
  return 1e6 * (seconds() - begin) / calls;
}
struct Spread {
  std::vector<double> all;
  void add(double time) { all.insert(std::upper_bound(all.begin(), all.end(), time), time); }
  double median() const { return all[all.size() / 2]; }
  double ratio() const { return all.back() / all.front(); }
};

// Twelve chains of the instructions of an inner product, in registers.
#define TWELVE(ONE) ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9) ONE(10) ONE(11)
#define CHAINS(ONE)                                                                                                    \
  asm volatile(TWELVE(ONE)::                                                                                           \
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
                     "xmm13")
#define VNNI_512(i) "vpdpbusd %%zmm15, %%zmm14, %%zmm" #i "\n"
#define VNNI_256(i) "%{vex%} vpdpbusd %%ymm15, %%ymm14, %%ymm" #i "\n"
#define AVX2(i) "vpmaddwd %%ymm15, %%ymm14, %%ymm13\n vpaddd %%ymm13, %%ymm" #i ", %%ymm" #i "\n"

/// Products of 8 bits, each with its addition, that the instructions of int8::Native make in a microsecond at most; 0
/// where they are the compiler's choice.
double peak() {
#if defined(__AVX2__)
#if defined(__AVX512VNNI__)
  constexpr int products = 64;
#elif defined(__AVXVNNI__)
  constexpr int products = 32;
#else
  constexpr int products = 16;
#endif
  constexpr int steps = 1000;
  return 12.0 * products * steps / time_of([] {
           for (int i = 0; i < steps; ++i) {
#if defined(__AVX512VNNI__)
             CHAINS(VNNI_512);
#elif defined(__AVXVNNI__)
             CHAINS(VNNI_256);
#else
             CHAINS(AVX2);
#endif
           }
         });
#else
  return 0;
#endif
}

struct Options {
  int rounds = 25;
  bool times = false;
};

template <class Model>
void measure(const char* name, const Mnist& digits, int epochs, const Options& options) {
  Network<Model> net{{.seed = 1}};
  if (!options.times) fit(net, digits.train, NLLLoss{}, Adam{}, {.batch_size = 50, .epochs = epochs});
  const auto quantized = quantize(net, subset(digits.train, 0, options.times ? 10 : 200));
  std::printf("| %s |", name);
  if (!options.times) {
    const double right = score(net, digits.test), right_int8 = score(quantized, digits.test);
    std::printf(" %.2f %% | %.2f %% |", 100 * right, 100 * right_int8);
  }
  auto workspace = net.workspace(64);
  auto workspace_int8 = quantized.workspace(64);
  for (const std::size_t rows : {1u, 64u}) {
    const auto x = subset(digits.test, 0, rows);
    const double products = static_cast<double>(rows) * bench::forward_flops<Model>() / 2;
    Spread by_float, by_int8, ratio, share;
    for (int i = 0; i < options.rounds; ++i) {
      const double of_float = time_of([&] { net.forward(x, workspace); });
      const double of_int8 = time_of([&] { quantized.forward(x, workspace_int8); });
      const double most = peak();
      by_float.add(of_float);
      by_int8.add(of_int8);
      ratio.add(of_float / of_int8);
      share.add(most > 0 ? 100 * products / of_int8 / most : 0);
    }
    std::printf(" %.1f (%.2f) | %.1f (%.2f) |", by_float.median(), by_float.ratio(), by_int8.median(), by_int8.ratio());
    std::printf(" %.2f | %.0f %% |", ratio.median(), share.median());
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) try {
  std::string folder = SINTER_MNIST_SUBSET;
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word == "--help") return std::printf("%s\n", usage) > 0 ? 0 : 1;
    if (word == "--times")
      options.times = true;
    else if (word == "--data" && i + 1 < count)
      folder = values[++i];
    else if (word == "--rounds" && i + 1 < count && std::atoi(values[i + 1]) > 0)
      options.rounds = std::atoi(values[++i]);
    else
      throw std::runtime_error("int8: \"" + word + "\" is no option with its value; give --data with a folder, " +
                               "--rounds with a number above 0, --times, or --help");
  }
  const Mnist digits = read_mnist(folder);
  Spread most;
  for (int i = 0; i < options.rounds; ++i) most.add(peak());
  std::printf("by %s, at most %.1f thousand million products a second\n\n", internal::int8::Native::name,
              most.all.back() / 1000);
  std::printf("| network |%s 1 row, float | int8 | ratio | of peak | 64 rows, float | int8 | ratio | of peak |\n",
              options.times ? "" : " float | int8 |");
  std::printf("|---|%s---|---|---|---|---|---|---|---|\n", options.times ? "" : "---|---|");
  measure<LeNet>("LeNet", digits, 3, options);
  measure<Wide>("convolutions of 32 and 64 channels", digits, 1, options);
  measure<Perceptron>("784-1024-1024-10", digits, 2, options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
