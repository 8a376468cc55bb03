// SPDX-License-Identifier: MIT
// expected: sinter: a network with RNN, GRU or LSTM has no function yet: use forward and a workspace
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8>, GRU<4>, Flatten, Linear<2>> {};
float first(const Network<Net>& net, const float* x) {
  const auto f = net.function();
  return f(x)[0];
}
