// SPDX-License-Identifier: MIT
// The program that every consumer builds.
#include <sinter/version.hpp>

int main() { return SINTER_VERSION_MAJOR == 0 ? 0 : 1; }
