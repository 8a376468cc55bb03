// expected: sinter: integers need a scale: forward(x, workspace, Normalize::pixels(mean, deviation))
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>, ReLU> {};

void answer(const View<Net>& view, FixedWorkspace<Net, 1>& workspace, TensorView<const std::uint8_t, Shape<2>> pixels) {
  view.forward(pixels, workspace);
}
