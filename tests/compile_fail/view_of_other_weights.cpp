// expected: sinter: these weights belong to another model: export them from a network of this one
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>, ReLU> {};
struct Other : Sequential<Input<2>, Linear<3>, Tanh> {};

static internal::StoredFor<Net, float> weights;
View<Other> view(weights);
