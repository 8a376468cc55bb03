// SPDX-License-Identifier: MIT
// [source]
// sinter.cpp
#define SINTER_IMPLEMENTATION
#include <sinter/sinter.hpp>
// [/source]
