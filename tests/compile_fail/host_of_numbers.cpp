// SPDX-License-Identifier: MIT
// expected: sinter: Host takes .spin as a time: Host{.threads = 2, .spin = std::chrono::microseconds(50)}
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
Network<Net> net{Host{2, 3}};
