// SPDX-License-Identifier: MIT
// expected: sinter: clip_grad_norm is given an optimizer that clips by a norm already; give it one norm
#include <sinter/sinter.hpp>
using namespace sinter;
auto twice(const SGD& sgd) { return clip_grad_norm(clip_grad_norm(sgd, 1), 5); }
