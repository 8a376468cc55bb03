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

namespace {
// A pool of an own layer may leave numbers out.
template <bool Average>
struct PoolOfEveryOther {
  static constexpr const char* name = "PoolOfEveryOther";
  static constexpr Window window{
      .height = 2, .width = 3, .padding_height = 1, .padding_width = 2, .dilation_height = 3, .dilation_width = 2};
  using Needs = needs::an_image_at_least_as_large_as_the_window_and_channels_divisible_by_groups;
  using Ops = OpList<sinter::ops::Pool<window, Average>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && window.fits(in); }
};
}  // namespace

TEST_CASE("pools with dilation") {
  check_host(TypeList<networks::Chain<Input<2, 6, 5>, Tanh, PoolOfEveryOther<false>, Conv2d<2, 2>>,
                      networks::Chain<Input<2, 6, 5>, Conv2d<3, 2>, PoolOfEveryOther<true>>>{});
}
