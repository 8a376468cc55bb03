// SPDX-License-Identifier: MIT
// expected: sinter: Network<Model> net{{.seed = 1}}, or net{Host{.threads = 2}, {.seed = 1}}
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
Network<Net> net{"cuda"};
