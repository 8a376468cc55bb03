// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

TEST_CASE("rows") { check_host(networks::Rows{}); }
TEST_CASE("rows in float") {
  check_host_float(Case<Sequential<Input<20>, Linear<10>, LogSoftmax>, NLLLoss>{});
  check_host_float(Case<Sequential<Input<20>, Linear<10>>, CrossEntropyLoss>{});
  check_host_float(Chain<Input<20>, Softmax, Linear<10>, LogSoftmax, Linear<5>>{});
}
