// SPDX-License-Identifier: MIT
// expected: sinter: dataset takes rows and their targets: dataset(x, labels)
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
const Tensor<float, Shape<2>> x(3);
const auto data = dataset(x);
