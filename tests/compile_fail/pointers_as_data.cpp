// expected: sinter: the inputs of a dataset come as a Tensor, or as a TensorView
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

auto rows(const float* x, const int* labels) { return dataset(x, labels); }
