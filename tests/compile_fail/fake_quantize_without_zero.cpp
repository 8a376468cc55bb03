// expected: sinter: FakeQuantize<low, high> keeps 0 exactly: give it a finite low and high on both sides of 0
// SPDX-License-Identifier: MIT
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
using namespace sinter;
struct Net : Sequential<Input<7>, Linear<5>, FakeQuantize<1, 6>, Linear<2>> {};
void run(const Network<Net, Reference>& net, const Tensor<float, Shape<7>>& rows) { quantize(net, rows); }
