// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/mask.hpp"
#include "sinter/ops/recurrence.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_sequence_of_steps_and_features;
}  // namespace needs

namespace layer_option {
struct NumLayersTag {
  int layers;
};
struct BidirectionalTag {};
struct FinalStateTag {};
struct LearnedStateTag {};
struct ProjectionSizeTag {
  int size;
};
struct DropoutBetweenTag {
  double probability;
};
}  // namespace layer_option
/// The number of stacked recurrent layers, each of which reads the outputs of the one before it: PyTorch's num_layers.
template <int N>
inline constexpr layer_option::NumLayersTag NumLayers{N};
/// A recurrent layer has a second cell that reads the sequence from its end; outputs of both are side by side.
inline constexpr layer_option::BidirectionalTag Bidirectional{};
/// A recurrent layer outputs only h after its last step, PyTorch's h_n, instead of h after every step. A Bidirectional
/// one outputs h of both directions: the last step of the second is at the beginning of the sequence.
inline constexpr layer_option::FinalStateTag FinalState{};
/// The state of a recurrent layer before the first step is learned, instead of 0: parameters h_0_l0 [Hidden] and, of an
/// LSTM, c_0_l0, for each layer and direction. They start as 0.
inline constexpr layer_option::LearnedStateTag LearnedState{};
/// The number of outputs of an LSTM, which are a product with those of its hidden units: PyTorch's proj_size.
template <int N>
inline constexpr layer_option::ProjectionSizeTag ProjectionSize{N};
/// Dropout between the layers of a recurrent layer that has several: PyTorch's dropout.
template <auto P>
inline constexpr layer_option::DropoutBetweenTag DropoutBetween{static_cast<double>(P)};

namespace detail {
/// The ops of one layer after another: all but the last give every step, with a mask after each if P > 0.
template <class Cell, RecurrenceForm form, double P>
constexpr auto recurrent_ops() {
  constexpr bool last = form.level + 1 >= form.levels;
  constexpr RecurrenceForm one = [] {
    RecurrenceForm changed = form;
    changed.final_state = form.final_state && last;
    return changed;
  }();
  if constexpr (last) {
    return OpList<Recurrence<Cell, one>>{};
  } else {
    constexpr RecurrenceForm next = [] {
      RecurrenceForm changed = form;
      ++changed.level;
      return changed;
    }();
    using Rest = decltype(recurrent_ops<Cell, next, P>());
    if constexpr (P > 0)
      return concatenate<OpList<Recurrence<Cell, one>, Mask<P, false>>, Rest>{};
    else
      return concatenate<OpList<Recurrence<Cell, one>>, Rest>{};
  }
}

/// What RNN, GRU and LSTM have in common.
template <class Cell, int Hidden, auto... Options>
struct RecurrentLayer {
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  static constexpr const char* name = Cell::name;
  using Needs = needs::a_sequence_of_steps_and_features;
  static constexpr bool accepts(Dims in) { return in.rank == 2; }

 protected:
  static constexpr int layers = layer_option::get<layer_option::NumLayersTag>({1}, Options...).layers;
  static constexpr double between = layer_option::get<layer_option::DropoutBetweenTag>({0}, Options...).probability;
  static constexpr int projection = layer_option::get<layer_option::ProjectionSizeTag>({0}, Options...).size;
  static constexpr bool projects = layer_option::count<layer_option::ProjectionSizeTag>(Options...) > 0;
  static constexpr bool smaller = !projects || (projection > 0 && projection < Hidden);
  static constexpr bool known =
      number_too_many ||
      ((!projects || Cell::state >= 0) &&
       layer_option::only<layer_option::NumLayersTag, layer_option::BidirectionalTag, layer_option::FinalStateTag,
                          layer_option::LearnedStateTag, layer_option::ProjectionSizeTag,
                          layer_option::DropoutBetweenTag, layer_option::NoBiasTag>(Options...));
  static constexpr bool positive = layers > 0 && layers < 100 && Hidden > 0 && Hidden <= layer_option::most_units;
  static constexpr bool a_probability = between >= 0 && between <= 1 && (between == 0 || layers > 1);
  static constexpr bool is_final = layer_option::count<layer_option::FinalStateTag>(Options...) > 0,
                        biased = layer_option::count<layer_option::NoBiasTag>(Options...) == 0,
                        learned = layer_option::count<layer_option::LearnedStateTag>(Options...) > 0;
  static constexpr int directions = layer_option::count<layer_option::BidirectionalTag>(Options...) > 0 ? 2 : 1;

 public:
  static constexpr bool valid = known && positive && a_probability && smaller;
  /// The ops, with a state or lengths from other values where these are given.
  template <bool Given, bool Lengths>
  using OpsWith = decltype(recurrent_ops<Cell,
                                         RecurrenceForm{.hidden = positive ? Hidden : 1,
                                                        .levels = positive ? layers : 1,
                                                        .directions = directions,
                                                        .projected = smaller ? projection : 0,
                                                        .final_state = is_final,
                                                        .with_bias = biased,
                                                        .learned = learned,
                                                        .given = Given,
                                                        .lengths = Lengths},
                                         (a_probability ? between : 0.0)>());
  using Ops = OpsWith<false, false>;
  /// Numbers of a state: h of each layer and direction, and of an LSTM c of each.
  static constexpr int state_size =
      layers * directions * ((projection > 0 ? projection : Hidden) + (Cell::state >= 0 ? Hidden : 0));
  static constexpr bool learns_state = learned;

  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return add(to, Ops{}, x);
  }
  /// With other values for each of the recurrences.
  template <class Builder, class... O, class Wire, class... Beside>
  static constexpr Wire add(Builder& to, OpList<O...>, Wire x, Beside... beside) {
    const auto one = [&]<class Each>(std::type_identity<Each>) {
      if constexpr (requires { typename Each::Cell; })
        x = to.template op<Each>(x, beside...);
      else
        x = to.template op<Each>(x);
    };
    (one(std::type_identity<O>{}), ...);
    return x;
  }
};
}  // namespace detail

// Structs, because nvcc 13.0 does not declare the type of an option that goes through an alias template.

/// h[t] = tanh(W_ih x[t] + b_ih + W_hh h[t - 1] + b_hh), h[-1] = 0 (Elman, 1990).   x [B, T, In]  y [B, T, Hidden], the
/// sequence first and the features of a step after it, as PyTorch's with batch_first; with FinalState y [B, Hidden],
/// with Bidirectional 2 Hidden. Parameters weight_ih_l0 [Hidden, In], weight_hh_l0 [Hidden, Hidden], bias_ih_l0,
/// bias_hh_l0 [Hidden], and so on, start as U(-1 / sqrt(Hidden), 1 / sqrt(Hidden)), as PyTorch's.
/// Options: FinalState, LearnedState, NumLayers<1>, Bidirectional, DropoutBetween<0>, NoBias. T and In are of the
/// input.
template <int Hidden, auto... Options>
struct RNN : detail::RecurrentLayer<cells::Rnn, Hidden, Options...> {
  static constexpr bool check() {
    static_assert(RNN::positive,
                  "sinter: RNN needs 1 to 1,048,576 hidden units, and 1 to 99 layers: RNN<32, NumLayers<2>>");
    static_assert(RNN::known,
                  "sinter: RNN takes FinalState, LearnedState, NumLayers, Bidirectional, DropoutBetween, NoBias, once");
    static_assert(RNN::a_probability, "sinter: DropoutBetween is 0 to 1, and needs NumLayers<2> or more");
    return true;
  }
};

/// r, z = sigmoid(W_ih x[t] + b_ih + W_hh h[t - 1] + b_hh), n = tanh(W_in x[t] + b_in + r (W_hn h[t - 1] + b_hn)),
/// h[t] = (1 - z) n + z h[t - 1] (Cho et al., 2014), in PyTorch's order: its weights have the rows of r, z and n.
/// Shapes and options as RNN's; weight_ih_l0 [3 Hidden, In].
template <int Hidden, auto... Options>
struct GRU : detail::RecurrentLayer<cells::Gru, Hidden, Options...> {
  static constexpr bool check() {
    static_assert(GRU::positive,
                  "sinter: GRU needs 1 to 1,048,576 hidden units, and 1 to 99 layers: GRU<32, NumLayers<2>>");
    static_assert(GRU::known,
                  "sinter: GRU takes FinalState, LearnedState, NumLayers, Bidirectional, DropoutBetween, NoBias, once");
    static_assert(GRU::a_probability, "sinter: DropoutBetween is 0 to 1, and needs NumLayers<2> or more");
    return true;
  }
};

/// i, f, o = sigmoid(W_ih x[t] + b_ih + W_hh h[t - 1] + b_hh), g = tanh(the same), c[t] = f c[t - 1] + i g,
/// h[t] = o tanh(c[t]) (Hochreiter and Schmidhuber, 1997), with h and c 0 at first; its weights have the rows of i, f,
/// g and o. Shapes and options as RNN's; weight_ih_l0 [4 Hidden, In]. With ProjectionSize<P>, P < Hidden,
/// h[t] = W_hr (o tanh(c[t])) (Sak et al., 2014): y [B, T, P]  weight_hr_l0 [P, Hidden]  weight_hh_l0 [4 Hidden, P].
template <int Hidden, auto... Options>
struct LSTM : detail::RecurrentLayer<cells::Lstm, Hidden, Options...> {
  static constexpr bool check() {
    static_assert(LSTM::positive,
                  "sinter: LSTM needs 1 to 1,048,576 hidden units, and 1 to 99 layers: LSTM<9, NumLayers<2>>");
    static_assert(LSTM::known,
                  "sinter: LSTM takes FinalState, LearnedState, ProjectionSize, NumLayers, Bidirectional, "
                  "DropoutBetween, NoBias, once");
    static_assert(LSTM::smaller,
                  "sinter: ProjectionSize is 1 or more, and less than the hidden units: LSTM<64, ProjectionSize<16>>");
    static_assert(LSTM::a_probability, "sinter: DropoutBetween is 0 to 1, and needs NumLayers<2> or more");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::Bidirectional;
using internal::DropoutBetween;
using internal::FinalState;
using internal::GRU;
using internal::LearnedState;
using internal::LSTM;
using internal::NumLayers;
using internal::ProjectionSize;
using internal::RNN;
}  // namespace sinter
