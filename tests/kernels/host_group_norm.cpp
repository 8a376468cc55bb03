// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("statistics of a sample") { check_host(networks::GroupNorms{}); }
TEST_CASE("statistics of a sample in float") { check_host_float(networks::GroupNorms{}); }

TEST_CASE("a mean that is large beside the deviation costs no digits") {
  using Model = Sequential<Input<2, 5, 40>, GroupNorm<1>, Flatten, LayerNorm<>>;
  Batch<double> exact(any_model<Model>(), 5, 1);
  for (double& x : exact.x) x = static_cast<double>(static_cast<float>(4096 + x));
  const Batch<float> rounded(exact);
  ReferenceEngine<Model, double> reference;
  auto host = MakeHost<>{1}.make<Model, float>();
  CHECK(norm_error(outputs_of(host, rounded), outputs_of(reference, exact)) < 1e-6);
  check_rows_alone(any_engine<float>(host, CrossEntropyLoss{}), rounded);
}
