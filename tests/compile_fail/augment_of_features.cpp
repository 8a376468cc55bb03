// expected: sinter: augment() moves pixels, [C][H][W], or places of a series, [C][L]; rows of features have none
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

void rows() {
  const auto points = disc(100, 1);
  augment(points, {}, RandomHorizontalFlip{});
}
