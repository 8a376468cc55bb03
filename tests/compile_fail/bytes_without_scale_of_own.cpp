// expected: sinter: integers need a scale: give the dataset a normalize()
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
struct Pixels {
  Tensor<std::uint8_t, Shape<2>> x;
  std::vector<int> labels;
  std::size_t size() const { return labels.size(); }
  TensorView<const std::uint8_t, Shape<2>> inputs() const { return x.view(); }
  std::span<const int> targets() const { return labels; }
};

float score_of(const Network<Net>& net, const Pixels& data) { return static_cast<float>(score(net, data)); }
