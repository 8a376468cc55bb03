// SPDX-License-Identifier: MIT
// inputs: what a second input costs. The same network on pictures alone, and on pictures and numbers, in turn: the least time of
// each, and their ratio. One thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "sinter/sinter.hpp"

using namespace sinter;

namespace {

struct Pictures
    : Path<Conv2d<16, 3, Padding<1>>, ReLU, MaxPool2d<2>, Conv2d<32, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten> {};
struct One : Sequential<Input<3, 32, 32>, Pictures, Linear<10>> {};
struct Flat : Inputs<Named<"picture", Input<3, 32, 32>>, Named<"numbers", Input<5>>> {};
struct Two : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Pictures>, Path<TakeInput<Flat, "numbers">>>,
                        Linear<10>> {};

double seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
/// The least times of two works, done in turn.
void compare(const char* name, int turns, const auto& one, const auto& two) {
  double least[2] = {1e9, 1e9};
  for (int i = 0; i < turns; ++i) {
    least[0] = std::min(least[0], seconds(one));
    least[1] = std::min(least[1], seconds(two));
  }
  std::printf("%-24s %9.1f us %9.1f us  %.3f\n", name, 1e6 * least[0], 1e6 * least[1], least[1] / least[0]);
}

}  // namespace

int main() {
  constexpr std::size_t rows = 64;
  Tensor<float, Shape<3, 32, 32>> pictures(rows);
  for (std::size_t i = 0; i < pictures.values().size(); ++i)
    pictures.values()[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  const Tensor<float, Shape<5>> numbers(rows);
  const auto both = join_inputs<Two>(pictures, numbers);
  std::vector<int> labels(rows);
  for (std::size_t row = 0; row < rows; ++row) labels[row] = static_cast<int>(row % 10);

  Network<One> one{{.seed = 1}};
  Network<Two> two{{.seed = 1}};
  Trainer of_one{one, CrossEntropyLoss{}, SGD{.lr = 1e-6}};
  Trainer of_two{two, CrossEntropyLoss{}, SGD{.lr = 1e-6}};
  auto memory_of_one = one.workspace(rows);
  auto memory_of_two = two.workspace(rows);
  std::printf("%-24s %12s %12s  ratio\n", "", "one input", "two inputs");
  compare("training, 64 rows", 200, [&] { of_one.step(pictures, labels); }, [&] { of_two.step(both, labels); });
  compare(
      "inference, 64 rows", 300, [&] { one.forward(pictures, memory_of_one); },
      [&] { two.forward(pictures, numbers, memory_of_two); });
  const auto picture = pictures.view().slice(0, 1);
  const auto number = numbers.view().slice(0, 1);
  compare(
      "inference, 1 row", 5000, [&] { one.forward(picture, memory_of_one); },
      [&] { two.forward(picture, number, memory_of_two); });
}
