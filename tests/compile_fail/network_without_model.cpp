// SPDX-License-Identifier: MIT
// expected: sinter: a network is one of a model: Network<Model> net
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
Network net;
