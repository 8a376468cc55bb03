// SPDX-License-Identifier: MIT
// expected: sinter: a row of all Inputs has at most 2,147,483,647 numbers
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Inputs<Input<2147483647>, Input<1>>, Linear<1>> {};
Network<Net> net;
