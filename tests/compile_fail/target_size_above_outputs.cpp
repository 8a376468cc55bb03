// expected: sinter: target_size of a loss is how many numbers it compares a row of outputs with: at least 1, and at most as many as the network has outputs
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
struct Own : MSELoss {
  static constexpr int target_size = 3;
};

void train(Network<Net>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<3>>& y) {
  fit(net, dataset(x, y), Own{}, SGD{.lr = 0.1});
}
