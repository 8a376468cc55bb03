// SPDX-License-Identifier: MIT
// expected: load_takes_partial_checksum_allow_nan_self_test_rename
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<2>, Linear<2>> {};
void take(Network<Net>& net) { load(net, "net.safetensors", {.partal = true}); }
