// expected: sinter: this loss reads another number of outputs than the network has: its `outputs` says how many; end the network in as many, or correct that number
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
struct Own : MSELoss {
  static constexpr int outputs = 2;
};

void judge(Network<Net>& net, const Tensor<float, Shape<2>>& x, const Tensor<float, Shape<5>>& y) {
  evaluate(net, dataset(x, y), head_losses<Net>(Own{}, Own{}));
}
