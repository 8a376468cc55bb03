// SPDX-License-Identifier: MIT
// weights FOLDER: random weights of the three networks.
#include <cstdio>
#include <exception>
#include <sinter/io/save.hpp>
#include <sinter/network/network.hpp>
#include <string>

#include "networks.hpp"
#include "w1.hpp"

int main(int count, char** values) try {
  if (count != 2) return std::fprintf(stderr, "usage: weights FOLDER\n"), 2;
  const std::string folder = values[1];
  save(sinter::Network<bench::W1>{{.seed = 1}}, folder + "/w1.safetensors");
  save(sinter::Network<bench::ResNet8>{{.seed = 1}}, folder + "/resnet8.safetensors");
  save(sinter::Network<bench::Folds>{{.seed = 1}}, folder + "/perceptron.safetensors");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "weights: %s\n", error.what());
  return 1;
}
