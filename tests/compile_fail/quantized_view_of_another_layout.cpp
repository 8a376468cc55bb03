// expected: sinter: these constants were exported by another version of sinter: export them by this one
// SPDX-License-Identifier: MIT
#include <sinter/int8/fixed.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<3>, ReLU> {};

template <std::uint64_t Fingerprint, std::size_t Layout, std::size_t... Sizes>
StoredQuantized<Fingerprint, Layout + 1, Sizes...> of_another(const StoredQuantized<Fingerprint, Layout, Sizes...>&);
static decltype(of_another(internal::int8::StoredOf<Net>{})) constants;
QuantizedView<Net> view(constants);
