// expected: sinter: AnyOf<> has no network to choose; list one or more models
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

AnyOf<> net(0);
