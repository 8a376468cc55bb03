// SPDX-License-Identifier: MIT
// labels: large
#include "support/host_check.hpp"

#include <cmath>
#include <limits>

#include "sinter/network/network.hpp"
#include "support/winners.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("pools") { check_host(networks::Pools{}); }

namespace {
// A NaN in any place of a window comes out, as in PyTorch.
template <class Model>
void check_nan_stays() {
  for (int place = 0; place < 4; ++place) {
    CAPTURE(place);
    Network<Model> net;
    for (auto& parameter : net.parameters())
      for (float& value : parameter.value) value = 1;
    Tensor<float, Shape<1, 2, 2>> x(9);
    for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = static_cast<float>(i % 4);
    x.data()[4 * 8 + place] = std::numeric_limits<float>::quiet_NaN();
    auto workspace = net.workspace(9);
    const auto y = net.forward(x, workspace);
    for (std::size_t row = 0; row < 8; ++row) CHECK(y.data[row] == 3);
    CHECK(std::isnan(y.data[8]));
  }
}
}  // namespace

TEST_CASE("a pool keeps NaN") {
  check_nan_stays<Sequential<Input<1, 2, 2>, MaxPool2d<2>>>();
  check_nan_stays<Sequential<Input<1, 2, 2>, Conv2d<1, 1, NoBias>, MaxPool2d<2>>>();
}

TEST_CASE("which number of a window a max pool takes: host and reference") {
  check_winners_of_pools([]<class Model> { return ReferenceEngine<Model, double>(); });
  check_winners_of_pools([]<class Model> { return MakeHost<>{2}.make<Model, double>(); });
}
