// expected: sinter: the function given to AnyOf::run returns different types for different networks; return one type
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

template <int Classes>
struct Net : Sequential<Input<2>, Linear<Classes>> {};

void ask(AnyOf<Net<2>, Net<3>>& net) {
  net.run([](auto& chosen) { return chosen.workspace(1); });
}
