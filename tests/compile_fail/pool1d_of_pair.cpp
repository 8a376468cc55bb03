// expected: sinter: the options of AvgPool1d are one number each: Stride<2>
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8>, AvgPool1d<2, Stride<1, 2>>> {};
int main() {}
