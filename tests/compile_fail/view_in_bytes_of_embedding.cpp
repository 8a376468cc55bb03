// expected: sinter: a layer of this model (such as an Embedding) reads weights as floats only: make an Unpacked<Model> of them, and a View<Model> of that
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;

struct Net : Sequential<Input<4>, Embedding<7, 3>, Flatten, Linear<3>> {};

static internal::StoredFor<Net, std::int8_t> weights;
View<Net, Storage::int8> view(weights);
