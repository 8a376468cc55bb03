// SPDX-License-Identifier: MIT
// expected: sinter: the parameters of this network are in the memory of the host: take its function(), or assign it to a Network<Model, Cuda>
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<3>, Linear<4>, ReLU, Linear<1>> {};
float slope(const Network<Net>& net) { return net.device_function()(1, 2, 3); }
