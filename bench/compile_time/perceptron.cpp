// SPDX-License-Identifier: MIT
// A first program.
#include "perceptron.hpp"

int main() {
  Network<Perceptron> net;
  train(net);
}
