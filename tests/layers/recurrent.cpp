// SPDX-License-Identifier: MIT
#include "sinter/layers/recurrent.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "sinter/core/isa.hpp"
#include "sinter/device/host.hpp"
#include "sinter/kernels/host/engine.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/network/network.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<RNN<4>> && Layer<GRU<4, FinalState>> && Layer<LSTM<4, NumLayers<2>, DropoutBetween<0.5>>>);
static_assert(detail::output_of<GRU<7>>(series(5, 3)) == series(5, 7));
static_assert(detail::output_of<GRU<7, Bidirectional>>(series(5, 3)) == series(5, 14));
static_assert(detail::output_of<LSTM<7, FinalState>>(series(5, 3)) == features(7));
static_assert(detail::output_of<RNN<7, NumLayers<3>, FinalState, Bidirectional>>(series(5, 3)) == features(14));
static_assert(!GRU<7>::accepts(features(5)) && !GRU<7>::accepts(image(1, 2, 2)));

struct Net : Sequential<Input<20, 3>, GRU<8, NumLayers<2>, Bidirectional, DropoutBetween<0.25>>, LSTM<16, FinalState>,
                        Linear<2>> {};
struct Seven : Sequential<Input<20, 3>, RNN<7, NoBias>> {};

constexpr long long of_gru = 20 * 2 * 3 * 8 * (3 + 8) + 20 * 2 * 3 * 8 * (16 + 8), of_lstm = 20 * 4 * 16 * (16 + 16);
static_assert(summary_of<Net>.multiply_adds == of_gru + of_lstm + 32);

}  // namespace

TEST_CASE("parameters have PyTorch's names and shapes") {
  std::vector<std::string> names;
  for (const Parameter& p : Program<Net>::parameters) names.emplace_back(p.name);
  CHECK(names == std::vector<std::string>{"0.weight_ih_l0",
                                          "0.weight_hh_l0",
                                          "0.bias_ih_l0",
                                          "0.bias_hh_l0",
                                          "0.weight_ih_l0_reverse",
                                          "0.weight_hh_l0_reverse",
                                          "0.bias_ih_l0_reverse",
                                          "0.bias_hh_l0_reverse",
                                          "0.weight_ih_l1",
                                          "0.weight_hh_l1",
                                          "0.bias_ih_l1",
                                          "0.bias_hh_l1",
                                          "0.weight_ih_l1_reverse",
                                          "0.weight_hh_l1_reverse",
                                          "0.bias_ih_l1_reverse",
                                          "0.bias_hh_l1_reverse",
                                          "1.weight_ih_l0",
                                          "1.weight_hh_l0",
                                          "1.bias_ih_l0",
                                          "1.bias_hh_l0",
                                          "2.weight",
                                          "2.bias"});
  CHECK(Program<Net>::parameters[8].shape == std::array{24, 16, 0, 0});
  CHECK(Program<Net>::parameters[9].shape == std::array{24, 8, 0, 0});
  CHECK(Program<Net>::parameters[10].rank == 1);
  CHECK(Program<Seven>::parameter_count == 2);
  using Deep = Program<Sequential<Input<2, 1>, RNN<1, NumLayers<12>, NoBias>>>;
  for (int level = 0; level < 12; ++level)
    CHECK(Deep::parameters[static_cast<std::size_t>(2 * level)].name == "0.weight_ih_l" + std::to_string(level));
}

TEST_CASE("parameters start as U(-1 / sqrt(hidden), 1 / sqrt(hidden)), each with numbers of its own") {
  const Network<Net, Host> net{{.seed = 3}};
  std::set<float> first;
  for (const Parameter& p : Program<Net>::parameters) {
    CAPTURE(p.name);
    if (p.layer == 2) continue;
    const double most = 1 / std::sqrt(p.layer == 0 ? 8.0 : 16.0);
    double squares = 0;
    for (int i = 0; i < p.size; ++i) {
      const double value = static_cast<double>(net.data()[p.offset + i]);
      CHECK(std::abs(value) <= most);
      squares += value * value;
    }
    if (p.rank == 2 && p.layer == 1) CHECK(std::sqrt(3 * squares / p.size) == doctest::Approx(most).epsilon(0.05));
    first.insert(net.data()[p.offset]);
  }
  CHECK(first.size() == 20);
}

TEST_CASE("summary and describe name what they do") {
  const std::string text(summary<Net>());
  CAPTURE(text);
  CHECK(text.find("GRU 8, both directions; 0.25; 8, both directions  20x16") != std::string::npos);
  CHECK(text.find("LSTM 16, final state") != std::string::npos);
  CHECK(std::string(summary<Seven>()).find("RNN 7, no bias") != std::string::npos);
  const std::string plan = describe(Network<Net, Host>{}, 100);
  CAPTURE(plan);
  CHECK(plan.find("plan tile on host") != std::string::npos);
  CHECK(plan.find("kernel 1: GRU 3->8, both directions, bias, dropout 0.25\n") != std::string::npos);
  CHECK(plan.find("kernel 3: LSTM 16->16, final state, bias\n") != std::string::npos);
}

TEST_CASE("a learned state follows the other parameters of its direction, and starts as 0") {
  using States = Sequential<Input<4, 3>, LSTM<6, LearnedState, Bidirectional, NoBias>, GRU<5, LearnedState>>;
  const Network<States, Host> net{{.seed = 3}};
  std::string names;
  for (const Parameter& p : Program<States>::parameters) {
    names += p.name;
    names += ' ';
    if (p.name.find("_0_l0") == std::string_view::npos) continue;
    CHECK((p.rank == 1 && p.shape[0] == (p.layer == 0 ? 6 : 5)));
    for (int i = 0; i < p.size; ++i) CHECK(net.data()[p.offset + i] == 0);
  }
  CHECK(
      names ==
      "0.weight_ih_l0 0.weight_hh_l0 0.h_0_l0 0.c_0_l0 0.weight_ih_l0_reverse 0.weight_hh_l0_reverse 0.h_0_l0_reverse "
      "0.c_0_l0_reverse 1.weight_ih_l0 1.weight_hh_l0 1.bias_ih_l0 1.bias_hh_l0 1.h_0_l0 ");
  CHECK(std::string(summary<States>()).find("GRU 5, learned state") != std::string::npos);
  CHECK(describe(net, 100).find("LSTM 3->6, both directions, learned state\n") != std::string::npos);
}

TEST_CASE("a projection has PyTorch's name and shape, and its first values") {
  using Projected = Sequential<Input<4, 3>, LSTM<16, ProjectionSize<9>, Bidirectional, LearnedState>>;
  static_assert(detail::output_of<LSTM<16, ProjectionSize<9>, Bidirectional>>(series(4, 3)) == series(4, 18));
  static_assert(summary_of<Projected>.multiply_adds == 4 * 2 * 16 * (4 * (3 + 9) + 9));
  const Network<Projected, Host> net{{.seed = 3}};
  const auto& all = Program<Projected>::parameters;
  CHECK(all.size() == 14);
  CHECK((all[1].name == "0.weight_hh_l0" && all[1].shape == std::array{64, 9, 0, 0}));
  CHECK((all[4].name == "0.weight_hr_l0" && all[4].shape == std::array{9, 16, 0, 0} && all[4].rank == 2));
  CHECK((all[5].name == "0.h_0_l0" && all[5].size == 9 && all[6].name == "0.c_0_l0" && all[6].size == 16));
  CHECK(all[11].name == "0.weight_hr_l0_reverse");
  double squares = 0;
  for (int i = 0; i < all[4].size; ++i) {
    const double value = static_cast<double>(net.data()[all[4].offset + i]);
    CHECK(std::abs(value) <= 0.25);
    squares += value * value;
  }
  CHECK(std::sqrt(3 * squares / all[4].size) == doctest::Approx(0.25).epsilon(0.1));
  CHECK(net.data()[all[4].offset] != net.data()[all[11].offset]);
  CHECK(std::string(summary<Projected>()).find("LSTM 16, both directions, projection 9") != std::string::npos);
}

TEST_CASE("other initial values count the inputs of each product") {
  const Network<Seven, Host> net{{.seed = 3, .initialization = Initialization::kaiming_uniform}};
  double most = 0;
  for (int i = 0; i < Program<Seven>::parameters[0].size; ++i)
    most = std::max(most, static_cast<double>(std::abs(net.data()[i])));
  CHECK(most > std::sqrt(6 / 7.0));  // of 7 hidden units
  CHECK(most <= std::sqrt(6 / 3.0));
}
