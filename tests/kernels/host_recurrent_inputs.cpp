// SPDX-License-Identifier: MIT
// labels: threads large
#include "support/host_check.hpp"
#include "support/recurrent_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {
struct MakeReference {
  template <class Model, class T>
  ReferenceEngine<Model, T> make() const {
    return {};
  }
};
template <class Networks>
void check_all(Networks networks) {
  check_gradients(MakeReference{}, networks);
  check_host(networks);
  check_host_float(networks);
}
}  // namespace

TEST_CASE("rows of fewer steps") { check_all(networks::Ragged{}); }
TEST_CASE("a given state before the first step") { check_all(networks::GivenStates{}); }
