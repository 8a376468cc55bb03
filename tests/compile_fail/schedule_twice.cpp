// SPDX-License-Identifier: MIT
// expected: sinter: per_step or per_epoch is given an optimizer that has a schedule already; give it one
#include <sinter/sinter.hpp>
using namespace sinter;
auto twice(const SGD& sgd) { return per_epoch(per_step(sgd, StepLR{.step_size = 1}), StepLR{.step_size = 2}); }
