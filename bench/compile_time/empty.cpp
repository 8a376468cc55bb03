// SPDX-License-Identifier: MIT
// The headers alone.
#include <sinter/sinter.hpp>

int main() {}
