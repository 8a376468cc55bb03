// expected: sinter: the batches have a name, auto all = zip(..), or are those of a for loop
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

void walk() {
  const auto points = disc(8, 1);
  auto at = zip(points, points).begin();
}
