// expected: sinter: a row that is iterated over has a name, or is that of a for loop
// SPDX-License-Identifier: MIT
#include <sinter/function.hpp>
using namespace sinter;

FixedTensor<float, Shape<2>> row() { return {1, 2}; }
const float* at = row().begin();
