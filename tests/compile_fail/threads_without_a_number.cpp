// expected: sinter: say how many ranks there are: Threads(4)
// SPDX-License-Identifier: MIT
#include <sinter/ranks.hpp>
using namespace sinter;

int main() {
  Threads t;
  t.run([](Communicator&) {});
}
