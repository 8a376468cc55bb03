// SPDX-License-Identifier: MIT
#include "sinter/layers/recurrent_cell.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sinter/kernels/host/engine.hpp"
#include "sinter/layers/gru_cell.hpp"
#include "sinter/layers/lstm_cell.hpp"
#include "sinter/layers/recurrent.hpp"
#include "sinter/network/network.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<LSTMCell<4>> && Layer<GRUCell<4, NoBias>>);
static_assert(LSTMCell<4>::accepts(features(9)) && !LSTMCell<4>::accepts(features(8)));
static_assert(GRUCell<4>::accepts(features(5)) && !GRUCell<4>::accepts(features(4)));
static_assert(!GRUCell<4>::accepts(series(5, 4)));
static_assert(LSTMCell<4>::output(features(9)) == features(8) && GRUCell<4>::output(features(5)) == features(4));

constexpr int inputs = 3, hidden = 5, steps = 6;

/// The cell, step by step, gives what the layer gives of the whole sequence. In both, rows begin with x.
template <template <int, auto...> class CellLayer, template <int, auto...> class SequenceLayer, int States>
void check_steps() {
  struct Step : Sequential<Input<inputs + States * hidden>, CellLayer<hidden>> {};
  struct Whole : Sequential<Input<steps, inputs>, SequenceLayer<hidden>> {};
  Network<Whole, Host> whole{{.seed = 3}};
  Network<Step, Host> step;
  for (const auto& from : whole.parameters())
    for (const auto& to : step.parameters())
      if (from.name == std::string(to.name) + "_l0") std::copy(from.value.begin(), from.value.end(), to.value.begin());
  Tensor<float, Shape<steps, inputs>> x(1);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = std::sin(static_cast<float>(i));
  auto in_whole = whole.workspace(1);
  auto in_step = step.workspace(1);
  const auto y = whole.forward(x, in_whole);
  Tensor<float, Shape<inputs + States * hidden>> row(1);
  for (std::size_t t = 0; t < steps; ++t) {
    std::copy_n(&x.values()[t * inputs], inputs, row.values().begin());
    const auto state = step.forward(row, in_step);
    for (std::size_t k = 0; k < hidden; ++k) CHECK(state.row(0)[k] == doctest::Approx(y.row(0)[t * hidden + k]));
    std::copy_n(state.row(0), States * hidden, row.values().begin() + inputs);
  }
}

}  // namespace

TEST_CASE("a cell gives, step by step, what the layer gives of the sequence") {
  check_steps<LSTMCell, LSTM, 2>();
  check_steps<GRUCell, GRU, 1>();
}

TEST_CASE("parameters have PyTorch's names, shapes and first values") {
  struct Net : Sequential<Input<50>, LSTMCell<16>, GRUCell<7, NoBias>> {};
  const Network<Net, Host> net{{.seed = 3}};
  std::vector<std::string> names;
  for (const Parameter& p : Program<Net>::parameters) {
    names.emplace_back(p.name);
    const double most = 1 / std::sqrt(p.layer == 0 ? 16.0 : 7.0);
    double largest = 0;
    for (int i = 0; i < p.size; ++i)
      largest = std::max(largest, std::abs(static_cast<double>(net.data()[p.offset + i])));
    CAPTURE(p.name);
    CHECK(largest <= most);
    CHECK(largest > 0.9 * most);
  }
  CHECK(names ==
        std::vector<std::string>{"0.weight_ih", "0.bias_ih", "0.weight_hh", "0.bias_hh", "1.weight_ih", "1.weight_hh"});
  CHECK(Program<Net>::parameters[0].shape == std::array{64, 18, 0, 0});
  CHECK(Program<Net>::parameters[2].shape == std::array{64, 16, 0, 0});
  CHECK(Program<Net>::parameters[4].shape == std::array{21, 25, 0, 0});
}
