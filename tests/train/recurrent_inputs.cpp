// SPDX-License-Identifier: MIT
// labels: large
// Rows of fewer steps, and states that are given, as a user of the library has them.
#include "sinter/layers/recurrent_inputs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter;

namespace {

constexpr int most = 5, features = 3;

/// Of one number before the steps, their length, and of sequences that are as long as they can be.
template <class Layer>
struct Ragged
    : Sequential<Input<1 + most * features>,
                 Recurrent<Layer, Path<Slice<1, most * features>, Reshape<most, features>>, Lengths<Slice<0, 1>>>> {};
template <class Layer, int Steps>
struct Whole : Sequential<Input<Steps, features>, Layer> {};

template <class Row>
Tensor<float, Row> random_rows(std::size_t rows, unsigned seed) {
  Tensor<float, Row> x(rows);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (float& value : x.values()) value = normal(random);
  return x;
}
using Rows = Tensor<float, Shape<1 + most * features>>;
Rows ragged_rows(std::size_t rows, unsigned seed = 1) {
  Rows x = random_rows<Shape<1 + most * features>>(rows, seed);
  for (std::size_t row = 0; row < rows; ++row) x(row, 0) = static_cast<float>(row % most + 1);
  return x;
}

/// Of networks with the same parameters in the same places.
template <class From, class To>
void copy_weights(const Network<From>& from, Network<To>& to) {
  static_assert(internal::Program<From>::arena_size == internal::Program<To>::arena_size);
  std::copy_n(from.data(), internal::Program<To>::arena_size, to.data());
}

/// Whether the outputs of a row of `Steps` steps have the bits that they have where the sequence is no longer, and 0
/// after them.
template <class Layer, int Steps>
bool same_as_whole(const Network<Ragged<Layer>>& net, const Rows& x, const std::vector<float>& y, std::size_t row) {
  Network<Whole<Layer, Steps>> whole;
  copy_weights(net, whole);
  auto workspace = whole.workspace(1);
  const auto expected = whole.forward(TensorView<const float, Shape<Steps, features>>{&x(row, 1), 1}, workspace);
  constexpr std::size_t size = Whole<Layer, Steps>::OutputRow::size, of_row = Ragged<Layer>::OutputRow::size;
  const float* const got = y.data() + row * of_row;
  return std::memcmp(got, expected.data, size * sizeof(float)) == 0 &&
         std::all_of(got + size, got + of_row, [](float value) { return value == 0; });
}
template <class Layer>
void check_bits() {
  const Network<Ragged<Layer>> net{{.seed = 3}};
  for (const std::size_t rows : {1u, 5u, 37u}) {
    const Rows x = ragged_rows(rows);
    auto workspace = net.workspace(rows);
    const auto all = net.forward(x, workspace);
    const std::vector<float> y(all.data, all.data + rows * Ragged<Layer>::OutputRow::size);
    for (std::size_t row = 0; row < rows; ++row) {
      CAPTURE(rows);
      CAPTURE(row);
      const bool same[] = {same_as_whole<Layer, 1>(net, x, y, row), same_as_whole<Layer, 2>(net, x, y, row),
                           same_as_whole<Layer, 3>(net, x, y, row), same_as_whole<Layer, 4>(net, x, y, row),
                           same_as_whole<Layer, 5>(net, x, y, row)};
      CHECK(same[row % most]);
    }
  }
}

}  // namespace

TEST_CASE("a row has the bits of a sequence of its length") {
  SUBCASE("every output") { check_bits<RNN<4>>(); }
  SUBCASE("the last output") { check_bits<GRU<9, FinalState>>(); }
  SUBCASE("both directions") { check_bits<LSTM<5, Bidirectional>>(); }
  SUBCASE("several layers, projected") {
    check_bits<LSTM<6, NumLayers<2>, Bidirectional, ProjectionSize<4>, FinalState, LearnedState>>();
  }
}

TEST_CASE("what a row does not have gets no gradient and changes nothing") {
  struct Tags : Sequential<Input<1 + most * features>,
                           Recurrent<LSTM<7, Bidirectional, NumLayers<2>>,
                                     Path<Slice<1, most * features>, Reshape<most, features>>, Lengths<Slice<0, 1>>>,
                           PositionwiseLinear<2, NoBias>> {};
  constexpr std::size_t rows = 13;
  Rows x = ragged_rows(rows);
  Tensor<float, Tags::OutputRow> wanted = random_rows<Tags::OutputRow>(rows, 2);
  for (std::size_t row = 0; row < rows; ++row)  // as the outputs
    for (int i = static_cast<int>(row % most + 1) * 2; i < most * 2; ++i)
      wanted.data()[row * most * 2 + static_cast<std::size_t>(i)] = 0;
  const auto run = [&](Rows& dx) {
    Network<Tags> net{{.seed = 3}};
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.5}};
    const float loss = trainer.accumulate(x, wanted, dx);
    trainer.update();
    std::vector<float> all(net.data(), net.data() + internal::Program<Tags>::arena_size);
    all.push_back(loss);
    return all;
  };
  Rows dx(rows), other(rows);
  const auto before = run(dx);
  int there = 0;
  for (std::size_t row = 0; row < rows; ++row)
    for (int i = 0; i <= most * features; ++i) {
      const bool has = i > 0 && (i - 1) / features <= static_cast<int>(row % most);
      there += has && dx(row, i) != 0;
      if (!has) CHECK(dx(row, i) == 0);
      if (!has && i > 0) x(row, i) = 1e3f * static_cast<float>(i);
    }
  CHECK(there == features * (3 * (1 + 2 + 3) + 2 * (4 + 5)));  // 13 rows
  CHECK(run(other) == before);
  CHECK(other.values().size() == dx.values().size());
  CHECK(std::equal(dx.values().begin(), dx.values().end(), other.values().begin()));
}

TEST_CASE("a length that is none gives NaN, and is refused in data by its row") {
  using Model = Ragged<GRU<4, FinalState>>;
  Network<Model> net{{.seed = 1}};
  auto workspace = net.workspace(20);
  for (const float length : {0.0f, -1.0f, 2.5f, 6.0f, 1e9f, std::nanf("")}) {
    Rows x = ragged_rows(20);
    x(1, 0) = x(17, 0) = length;
    for (const std::size_t rows : {2u, 20u}) {
      const auto y = net.forward(x.view().slice(0, rows), workspace);
      for (std::size_t row = 0; row < rows; ++row) CHECK(std::isnan(y(row, 2)) == (row == 1 || row == 17));
    }
  }
  Rows x = ragged_rows(20);
  const std::vector<int> labels(20);
  const auto refused = [&](float length) {
    x(17, 0) = length;
    return error_of([&] { fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{}); });
  };
  CHECK(refused(5) == "(no error)");
  CHECK(refused(0) ==
        "row 17, feature 0 of the inputs is 0, expected a length of 1 to 5 for the GRU of layer 0; give each row the "
        "number of its steps, and leave out empty ones");
  CHECK(refused(6).starts_with("row 17, feature 0 of the inputs is 6, expected a length of 1 to 5"));
  CHECK(refused(1.5f).starts_with("row 17, feature 0 of the inputs is 1.5, expected a length"));
}

TEST_CASE("a given state is where the sequence continues") {
  struct First : Sequential<Input<2, 3>, GRU<4, FinalState>> {};
  struct Second
      : Sequential<Input<4 + 9>,
                   Recurrent<GRU<4, FinalState>, Path<Slice<4, 9>, Reshape<3, 3>>, InitialState<Slice<0, 4>>>> {};
  struct Both : Sequential<Input<5, 3>, GRU<4, FinalState>> {};
  const Network<Both> both{{.seed = 5}};
  Network<First> first;
  Network<Second> second;
  copy_weights(both, first);
  copy_weights(both, second);
  const auto x = random_rows<Shape<5, 3>>(11, 1);
  auto a = first.workspace(11);
  auto b = second.workspace(11);
  auto c = both.workspace(11);
  const auto h = first.forward(TensorView<const float, Shape<2, 3>>{.data = x.data(), .rows = 11, .row_stride = 15}, a);
  Tensor<float, Shape<13>> rest(11);
  for (std::size_t row = 0; row < 11; ++row) {
    for (int i = 0; i < 4; ++i) rest(row, i) = h(row, i);
    std::copy_n(x.data() + row * 15 + 6, 9, &rest(row, 4));
  }
  const auto got = second.forward(rest, b), expected = both.forward(x, c);
  CHECK(std::memcmp(got.data, expected.data, 44 * sizeof(float)) == 0);
}

TEST_CASE("parameters have the names of the layer and of the branches") {
  struct Net : Sequential<Input<9>, Recurrent<LSTM<2>, Path<Slice<1, 8>, Reshape<4, 2>, PositionwiseLinear<3>>,
                                              InitialState<Linear<4>>, Lengths<Slice<0, 1>>>> {};
  std::string names;
  for (const auto& p : internal::Program<Net>::parameters) (names += p.name) += ' ';
  CHECK(names ==
        "0.path.2.weight 0.path.2.bias 0.initial_state.0.weight 0.initial_state.0.bias 0.weight_ih_l0 0.weight_hh_l0 "
        "0.bias_ih_l0 0.bias_hh_l0 ");
  const std::string text(summary<Net>());
  CHECK(text.find("LSTM 2, given state, lengths") != std::string::npos);
  CHECK(text.find("0.initial_state.0  Linear 4") != std::string::npos);
}
