// expected: sinter: each rank runs a function of its communicator
// SPDX-License-Identifier: MIT
#include <sinter/ranks.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;

int main() {
  Threads(2).run([] {});
}
