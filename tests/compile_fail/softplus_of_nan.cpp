// expected: sinter: Softplus<beta, threshold> takes a finite beta above 0 and a threshold that is no NaN
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<3>, Linear<4>, Softplus<1.0, std::numeric_limits<double>::quiet_NaN()>, Linear<2>> {};
Network<Net> net;
