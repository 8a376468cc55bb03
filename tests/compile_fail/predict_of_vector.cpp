// SPDX-License-Identifier: MIT
// expected: sinter: predict takes rows that say their shape
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
const auto y = predict(Network<Net>{}, std::vector<float>(2));
