// SPDX-License-Identifier: MIT
// expected: save_takes_normalize_classes_metadata_columns_categories
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void keep(const Network<Net>& net) { save(net, "net.safetensors", {.class_names = {"cat", "dog"}}); }
