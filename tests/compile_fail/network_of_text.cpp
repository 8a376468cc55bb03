// SPDX-License-Identifier: MIT
// expected: sinter: a network is made with options or with its device: Network<Model> net{{.seed = 1}}
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
Network<Net> net{"cuda"};
