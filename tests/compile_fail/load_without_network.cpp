// expected: sinter: load gives a network its weights: load(net, path)
// SPDX-License-Identifier: MIT
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};

const Network<Net> net = load("net.safetensors");
