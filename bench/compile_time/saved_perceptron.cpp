// SPDX-License-Identifier: MIT
// A first program that keeps what it has learned.
#include <sinter/io.hpp>

#include "perceptron.hpp"

int main() {
  Network<Perceptron> net;
  train(net);
  save(net, "perceptron.safetensors");
}
