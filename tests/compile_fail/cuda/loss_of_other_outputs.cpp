// SPDX-License-Identifier: MIT
// expected: sinter: this loss reads another number of outputs than the network has: its `outputs` says how many; end the network in as many, or correct that number
#include <sinter/sinter.cuh>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<1>> {};
struct Own : MSELoss {
  static constexpr int outputs = 2, target_size = 1;
};
void train(Network<Net, Cuda>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<1>>& y) {
  Trainer{net, Own{}, SGD{.lr = 0.1}}.step(x, y);
}
