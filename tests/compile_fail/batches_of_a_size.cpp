// expected: sinter: the options have names: batches(data, {.batch_size = 50})
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

int main() {
  const auto data = disc(100, 1);
  for (const auto& batch : batches(data, 50)) return 1;
}
