// expected: sinter: this is not a model: derive it from Sequential
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

class Hidden : Sequential<Input<2>, Linear<2>> {};
Network<Hidden> net;
