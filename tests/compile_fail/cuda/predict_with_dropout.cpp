// SPDX-License-Identifier: MIT
// expected: sinter: predict_with_dropout runs on Host: make a Network<Model> of this network, and give it that
#include <sinter/sinter.cuh>
using namespace sinter;
struct Net : Sequential<Input<2>, Dropout<0.5>, Linear<2>> {};
auto draw(const Network<Net, Cuda>& net, const Tensor<float, Shape<2>>& x) {
  return predict_with_dropout(net, x.view(), 1);
}
