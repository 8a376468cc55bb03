// SPDX-License-Identifier: MIT
// expected: sinter: save takes the path of a file: save(net
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void keep(const Network<Net>& net) { save(net); }
