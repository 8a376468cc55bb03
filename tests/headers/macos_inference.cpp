// SPDX-License-Identifier: MIT
// What macos.py compiles: a program that only infers.
#include <cstddef>
#include <cstdio>
#include <sinter/inference.hpp>
#include <span>

using namespace sinter;

struct Net : Sequential<Input<1, 8, 8>, Conv2d<4, 3>, MaxPool2d<2>, ReLU, Flatten, Linear<3>, Softmax> {};

alignas(64) static std::byte weights[parameter_bytes<Net>];
static FixedWorkspace<Net, 1> workspace;

int main() {
  if (std::fread(weights, 1, sizeof weights, stdin) != sizeof weights) return 1;
  const View<Net> net(weights);
  const float x[64]{};
  for (const float y : net.forward(std::span<const float, 64>(x), workspace))
    std::printf("%a\n", static_cast<double>(y));
}
