// SPDX-License-Identifier: MIT
#define SINTER_IMPLEMENTATION
#include <sinter/sinter.hpp>
