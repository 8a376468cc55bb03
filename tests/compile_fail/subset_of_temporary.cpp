// expected: sinter: subset() only views its dataset, and a temporary would be gone; give it a name first
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

void rows() { subset(disc(100, 1), 0, 50); }
