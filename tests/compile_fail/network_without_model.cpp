// SPDX-License-Identifier: MIT
// expected: sinter: this is not a model: derive it from Sequential<Input<..>, ..> by struct, or by class with public, and name it: Network<Model> net
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
Network net;
