// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
// RNN, GRU and LSTM against PyTorch, alone and in ten steps of networks (tests/fixtures/README.md).
#include <cstddef>
#include <string>

#include "support/host.hpp"
#include "support/pytorch_layers.hpp"
#include "support/pytorch_training.hpp"

using namespace sinter;
using namespace sinter_test;
using internal::ReferenceEngine;

namespace {

const Safetensors fixture(std::string(SINTER_FIXTURES) + "/recurrent.safetensors");

template <class Shape, class Layer>
void check_layer(const std::string& name) {
  using Model = Sequential<Shape, Layer>;
  const GivenGradient given;
  ReferenceEngine<Model, double> reference;
  auto host = MakeHost<>{2}.template make<Model, float>();
  CAPTURE(name);
  CHECK(layer_error(any_model<Model>(), any_engine<double>(reference, given), fixture, name).error < 6e-8);
  CHECK(layer_error(any_model<Model>(), any_engine<float>(host, given), fixture, name).error < 2e-6);
}
/// Of rows whose length follows the features of their first step.
template <int Time, int Features, class Layer>
void check_ragged(const std::string& name) {
  check_layer<Input<Time, Features + 1>,
              Recurrent<Layer, Path<Slice<0, Features, 2>>, Lengths<Slice<0, 1>, Slice<Features, 1, 2>>>>(name);
}
/// Of rows whose first state follows their steps.
template <int Time, int Features, class Layer>
void check_given(const std::string& name) {
  constexpr int steps = Time * Features, state = Layer::state_size;
  check_layer<Input<steps + state>,
              Recurrent<Layer, Path<Slice<0, steps>, Reshape<Time, Features>>, InitialState<Slice<steps, state>>>>(
      name);
}
template <template <int, auto...> class Layer>
void check_layers(const std::string& name) {
  check_layer<Input<6, 3>, Layer<7>>(name);
  check_layer<Input<1, 1>, Layer<1>>(name + "_of_one");
  check_layer<Input<1, 5>, Layer<9>>(name + "_one_step");
  check_layer<Input<11, 2>, Layer<8, FinalState>>(name + "_final");
  check_layer<Input<4, 4>, Layer<5, NoBias>>(name + "_no_bias");
  check_layer<Input<5, 3>, Layer<5, Bidirectional>>(name + "_both");
  check_layer<Input<6, 3>, Layer<4, NumLayers<3>, Bidirectional, FinalState>>(name + "_deep");
  check_layer<Input<4, 3>, Layer<5, LearnedState>>(name + "_learned");
  check_layer<Input<5, 2>, Layer<4, LearnedState, NumLayers<2>, Bidirectional, FinalState>>(name + "_learned_both");
  check_ragged<4, 3, Layer<5>>(name + "_ragged");
  check_ragged<5, 2, Layer<4, NumLayers<2>, Bidirectional>>(name + "_ragged_both");
  check_ragged<5, 2, Layer<4, Bidirectional, FinalState>>(name + "_ragged_final");
  check_ragged<1, 3, Layer<2>>(name + "_ragged_one_step");
  check_given<4, 3, Layer<5>>(name + "_given");
  check_given<3, 2, Layer<3, NumLayers<2>, Bidirectional, FinalState>>(name + "_given_both");
}
template <template <int, auto...> class Cell, int States>
void check_cells(const std::string& name) {
  check_layer<Input<3 + 7 * States>, Cell<7>>(name);
  check_layer<Input<1 + States>, Cell<1>>(name + "_of_one");
  check_layer<Input<21 + 18 * States>, Cell<18, NoBias>>(name + "_no_bias");
}

struct Forecast : Sequential<Input<12, 2>, GRU<9, FinalState>, Linear<3>> {};
struct Tagger : Sequential<Input<7, 4>, LSTM<6, Bidirectional>, Tanh, RNN<3>> {};
struct Deep : Sequential<Input<9, 3>, LSTM<5, NumLayers<2>>, Flatten, Linear<4>> {};

template <class Precision, class Device>
void check_steps(const Device& device, double most, double most_after_ten) {
  const char* const file = "recurrent";
  check_training_against_pytorch<Forecast, Shape<3>, Precision>(device, MSELoss{}, "forecast", most, most_after_ten,
                                                                file);
  check_training_against_pytorch<Tagger, Shape<7, 3>, Precision>(device, MSELoss{}, "tagger", most, most_after_ten,
                                                                 file);
  check_training_against_pytorch<Deep, void, Precision>(device, CrossEntropyLoss{}, "deep", most, most_after_ten, file);
}

}  // namespace

TEST_CASE("RNN gives the numbers of PyTorch") { check_layers<RNN>("rnn"); }
TEST_CASE("GRU gives the numbers of PyTorch") { check_layers<GRU>("gru"); }
TEST_CASE("LSTM gives the numbers of PyTorch") { check_layers<LSTM>("lstm"); }
TEST_CASE("GRUCell gives the numbers of PyTorch") { check_cells<GRUCell, 1>("gru_cell"); }
TEST_CASE("LSTMCell gives the numbers of PyTorch") { check_cells<LSTMCell, 2>("lstm_cell"); }
TEST_CASE("LSTM with a projection gives the numbers of PyTorch") {
  check_layer<Input<6, 3>, LSTM<7, ProjectionSize<4>>>("projected");
  check_layer<Input<5, 2>, LSTM<9, ProjectionSize<8>, NoBias, FinalState>>("projected_final");
  check_layer<Input<4, 3>, LSTM<5, ProjectionSize<3>, NumLayers<2>, Bidirectional, FinalState, LearnedState>>(
      "projected_both");
}
TEST_CASE("ten steps of the host in double") { check_steps<Float64>(Host{.threads = 2}, 1e-6, 1e-6); }
