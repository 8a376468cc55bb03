// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/attention_networks.hpp"
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("attention of the reference, by central differences") {
  check_gradients(MakeReference{}, networks::Attentions{});
  check_gradients(MakeReference{}, networks::Encoders{});
}
TEST_CASE("positional encodings") { check_reference_and_host(networks::PositionalEncodings{}); }
TEST_CASE("rotary positions") {
  check_gradients(MakeReference{}, networks::RotaryEmbeddings{});
  check_host(networks::RotaryEmbeddings{});
  check_host_float(networks::RotaryEmbeddings{});
}
TEST_CASE("attention") { check_host(networks::Attentions{}); }
TEST_CASE("blocks of transformers") { check_host(networks::Encoders{}); }
TEST_CASE("attention in float") { check_host_float(networks::Attentions{}); }
