// SPDX-License-Identifier: MIT
#pragma once

// What the programs share whose bits bitwise/compilers.cpp compares.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "sinter/sinter.hpp"

using namespace sinter::internal;

/// Numbers in [-1, 1), by whole-number arithmetic.
inline double draw(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(static_cast<std::int64_t>(state) >> 40) * 0x1p-23;
}

inline std::vector<int> labels() {
  std::vector<int> labels;
  for (int i = 0; i < 21; ++i) labels.push_back(i % 5);
  return labels;
}
template <class Row>
Tensor<float, Row> drawn(std::uint64_t seed) {
  Tensor<float, Row> x(21);
  for (float& v : x.values()) v = static_cast<float>(draw(seed));
  return x;
}

/// Parameters and running statistics.
template <class Net>
void write(const Net& net, std::FILE* to) {
  for (int i = 0; i < Net::Ops::storage_size; ++i) {
    const double x = static_cast<double>(net.data()[i]);
    std::fwrite(&x, sizeof x, 1, to);
  }
}
template <class Net, class Loss, class Optimizer, class Targets>
void train(Net net, Loss loss, Optimizer optimizer, const Targets& targets, std::FILE* to,
           const Tensor<float, typename Net::InputRow>& x = drawn<typename Net::InputRow>(1)) {
  Trainer trainer{net, loss, optimizer};
  trainer.step(x, targets);
  write(net, to);
  for (int i = 0; i < 4; ++i) trainer.step(x, targets);
  write(net, to);
}
