// expected: sinter: ELU<alpha> takes a finite alpha of at least 0
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, ELU<std::numeric_limits<double>::infinity()>, Linear<2>> {};
Network<Net> net;
