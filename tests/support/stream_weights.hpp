// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <random>
#include <sinter/sinter.hpp>

namespace sinter_test::streams {

/// A network whose parameters and statistics are not those it starts with.
template <class Model>
sinter::Network<Model> network_of() {
  sinter::Network<Model> net{{.seed = 3}};
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const auto& p : net.parameters())
    for (float& x : p.value) x += 0.1f * normal(random);
  for (const auto& p : net.buffers())
    for (float& x : p.value) x += 0.1f * std::abs(normal(random));
  return net;
}

}  // namespace sinter_test::streams
