// expected: sinter: InstanceNorm1d takes Epsilon, at most once
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2, 8>, InstanceNorm1d<NoBias>> {};
int main() {}
