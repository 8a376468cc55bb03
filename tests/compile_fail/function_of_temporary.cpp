// SPDX-License-Identifier: MIT
// expected: sinter: of a temporary, which is destroyed after this line
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3>, Linear<4>, ReLU, Linear<1>> {};
auto f = Network<Net>{{.seed = 1}}.function();
