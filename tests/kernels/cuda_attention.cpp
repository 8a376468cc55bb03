// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/attention_networks.hpp"
#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("products of two values") { check_cuda(networks::SomeProducts{}); }
TEST_CASE("positional encodings") { check_cuda(networks::PositionalEncodings{}); }
TEST_CASE("attention") { check_cuda(networks::SomeAttentions{}); }
