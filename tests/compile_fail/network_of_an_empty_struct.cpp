// expected: sinter: this is not a model: derive it from Sequential
// in: generated code
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Empty {};

int main() { Network<Empty> net{{.seed = 1}}; }
