// expected: sinter: these weights have another storage than this View reads: name it, as in View<Model, Storage::int8>, or make an Unpacked<Model> of them and a View<Model> of that
// SPDX-License-Identifier: MIT
#include <sinter/inference.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>, ReLU> {};

static internal::StoredFor<Net, std::int8_t> weights;
View<Net> view(weights);
