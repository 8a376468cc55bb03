// expected: sinter: these constants belong to another model: export them from a network of this one
// SPDX-License-Identifier: MIT
#include <sinter/int8/fixed.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>, ReLU> {};
struct Other : Sequential<Input<2>, Linear<3>, Tanh> {};

static internal::int8::StoredOf<Net> constants;
QuantizedView<Other> view(constants);
