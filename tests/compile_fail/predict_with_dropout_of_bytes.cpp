// expected: sinter: integers need a scale: predict_with_dropout(net, dataset(x, labels, Normalize::pixels(mean, deviation)), draw)
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Dropout<0.5>, Linear<2>> {};
auto draw(const Network<Net>& net, const TensorView<const unsigned char, Shape<2>>& x) {
  return predict_with_dropout(net, x, 1);
}
