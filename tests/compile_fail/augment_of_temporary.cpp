// expected: sinter: augment() only views its dataset, and a temporary would be gone; give it a name first
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

void rows() { augment(read_mnist("mnist").train, {}, RandomHorizontalFlip{}); }
