// SPDX-License-Identifier: MIT
// What ziglang.py compiles: trains, and prints the bits of what came of it.
#include <cstddef>
#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

struct Net : Sequential<Input<2>, Linear<8>, BatchNorm1d<>, ReLU, Linear<2>> {};

int main() {
  Network<Net> net{{.seed = 1}}, loaded;
  const auto points = disc(200, 1);
  fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.epochs = 2});
  load(loaded, save_bytes(net));
  const auto y = predict(loaded, points);
  for (std::size_t i = 0; i < 24; ++i) std::printf("%a\n", static_cast<double>(y.values()[i]));
}
