// SPDX-License-Identifier: MIT
// The source of sinter::compiled.
#define SINTER_IMPLEMENTATION
#include <sinter/sinter.hpp>
