// SPDX-License-Identifier: MIT
// expected: save_takes_normalize_classes_metadata_columns_categories
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
auto keep(const Network<Net>& net) { return save_bytes(net, {.class_names = {"cat", "dog"}}); }
