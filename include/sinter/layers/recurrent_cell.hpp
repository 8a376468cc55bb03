// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/negation.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/concatenate.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/multiply.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_row_of_features_with_the_state_behind_them;
}  // namespace needs

namespace detail {

/// What LSTMCell and GRUCell have in common: a row of features, and behind them `States` vectors of Hidden numbers.
template <int Gates, int States, int Hidden, auto... Options>
struct RecurrentCell {
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  using Needs = needs::a_row_of_features_with_the_state_behind_them;
  static constexpr bool accepts(Dims in) { return in.rank == 1 && in.channels > States * Hidden; }
  static constexpr Dims output(Dims) { return features(States * Hidden); }

 protected:
  static constexpr bool biased = layer_option::count<layer_option::NoBiasTag>(Options...) == 0;
  static constexpr bool known = number_too_many || layer_option::only<layer_option::NoBiasTag>(Options...);
  static constexpr bool positive = Hidden > 0;

  /// Part 0 of the row: the features; the others: h, and c.
  template <int Number>
  struct Part {
    static constexpr const char* name = "Slice";
    static constexpr IndexMap indices(Dims in) {
      IndexMap map = unchanged(in);
      map.factor[0].begin = Number == 0 ? 0 : in.channels - (States + 1 - Number) * Hidden;
      map.factor[0].out = Number == 0 ? in.channels - States * Hidden : Hidden;
      return map;
    }
  };
  template <int Number>
  using Given = MapIndices<Part<Number>>;
  template <int First, int Count = 1>
  using Gate = MapIndices<Slice<First * Hidden, Count * Hidden>>;

  /// W_ih x + b_ih, or W_hh h + b_hh.
  template <bool OfHidden>
  struct GateProduct {
    static constexpr Op describe(Dims in) { return MatMul<Gates * Hidden, biased>::describe(in); }
    template <class Builder>
    static constexpr void declare(Op& op, Builder& to) {
      Parameter p{.name = OfHidden ? "weight_hh" : "weight_ih",
                  .shape = {Gates * Hidden, op.in.channels},
                  .rank = 2,
                  .fan_in = op.in.channels,
                  .fan_out = Gates * Hidden,
                  .fan_in_of_pytorch = Hidden};
      op.weight = to.parameter(p);
      p.name = OfHidden ? "bias_hh" : "bias_ih";
      p.shape = {Gates * Hidden};
      p.rank = 1;
      p.is_bias = true;
      if (biased) op.bias = to.parameter(p);
    }
  };
  using OfInput = GateProduct<false>;
  using OfState = GateProduct<true>;
  using Open = Map<fn::Sigmoid>;
  using Bounded = Map<fn::Tanh>;

 public:
  static constexpr bool valid = positive && known;
};

}  // namespace detail

/// One step of an LSTM from a given state, as torch.nn.LSTMCell: i, f, o = sigmoid(W_ih x + b_ih + W_hh h + b_hh),
/// g = tanh(the same), c' = f c + i g, h' = o tanh(c') (Hochreiter and Schmidhuber, 1997).
///     a row [x, h, c] of In + 2 Hidden numbers, y = [h', c'] of 2 Hidden
/// weight_ih [4 Hidden, In], weight_hh [4 Hidden, Hidden], bias_ih, bias_hh [4 Hidden], with the rows of i, f, g and o,
/// start as U(-1 / sqrt(Hidden), 1 / sqrt(Hidden)), as PyTorch's. Option: NoBias. In is of the input.
template <int Hidden, auto... Options>
struct LSTMCell : detail::RecurrentCell<4, 2, Hidden, Options...> {
  static constexpr const char* name = "LSTMCell";

 private:
  using Base = detail::RecurrentCell<4, 2, Hidden, Options...>;
  template <int Number>
  using Given = typename Base::template Given<Number>;
  template <int Number>
  using Gate = typename Base::template Gate<Number>;
  using typename Base::Bounded, typename Base::OfInput, typename Base::OfState, typename Base::Open;

 public:
  using Ops = OpList<Given<0>, Given<1>, Given<2>, OfInput, OfState, Add, Gate<0>, Open, Gate<1>, Open, Gate<2>,
                     Bounded, Gate<3>, Open, Multiply, Multiply, Add, Bounded, Multiply, Concatenate>;
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire row) {
    const Wire x = to.template op<Given<0>>(row), h = to.template op<Given<1>>(row), c = to.template op<Given<2>>(row);
    const Wire of_input = to.template op<OfInput>(x);
    const Wire gates = to.template op<Add>(of_input, to.template op<OfState>(h));
    const Wire i = to.template op<Open>(to.template op<Gate<0>>(gates));
    const Wire f = to.template op<Open>(to.template op<Gate<1>>(gates));
    const Wire g = to.template op<Bounded>(to.template op<Gate<2>>(gates));
    const Wire o = to.template op<Open>(to.template op<Gate<3>>(gates));
    const Wire kept = to.template op<Multiply>(f, c), added = to.template op<Multiply>(i, g);
    const Wire state = to.template op<Add>(kept, added);
    return to.template op<Concatenate>(to.template op<Multiply>(o, to.template op<Bounded>(state)), state);
  }

  static constexpr bool check() {
    static_assert(LSTMCell::positive, "sinter: LSTMCell needs 1 hidden unit or more: LSTMCell<32>");
    static_assert(LSTMCell::known, "sinter: LSTMCell takes the option NoBias, at most once");
    return true;
  }
};

/// One step of a GRU from a given state, as torch.nn.GRUCell: r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh),
/// n = tanh(W_in x + b_in + r (W_hn h + b_hn)), h' = n + z (h - n) (Cho et al., 2014).
///     a row [x, h] of In + Hidden numbers, y = h' of Hidden
/// weight_ih [3 Hidden, In], weight_hh [3 Hidden, Hidden], bias_ih, bias_hh [3 Hidden], with the rows of r, z and n,
/// start as LSTMCell's. Option: NoBias. In is of the input.
template <int Hidden, auto... Options>
struct GRUCell : detail::RecurrentCell<3, 1, Hidden, Options...> {
  static constexpr const char* name = "GRUCell";

 private:
  using Base = detail::RecurrentCell<3, 1, Hidden, Options...>;
  template <int Number>
  using Given = typename Base::template Given<Number>;
  template <int First, int Count = 1>
  using Gate = typename Base::template Gate<First, Count>;
  using typename Base::Bounded, typename Base::OfInput, typename Base::OfState, typename Base::Open;
  using Minus = Map<fn::Negation>;

 public:
  using Ops = OpList<Given<0>, Given<1>, OfInput, OfState, Gate<0, 2>, Gate<0, 2>, Add, Open, Gate<0>, Gate<1>, Gate<2>,
                     Gate<2>, Multiply, Add, Bounded, Minus, Add, Multiply, Add>;
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire row) {
    const Wire x = to.template op<Given<0>>(row), h = to.template op<Given<1>>(row);
    const Wire a = to.template op<OfInput>(x), u = to.template op<OfState>(h);
    const Wire both = to.template op<Gate<0, 2>>(a);
    const Wire open = to.template op<Open>(to.template op<Add>(both, to.template op<Gate<0, 2>>(u)));
    const Wire r = to.template op<Gate<0>>(open), z = to.template op<Gate<1>>(open);
    const Wire of_x = to.template op<Gate<2>>(a), of_h = to.template op<Gate<2>>(u);
    const Wire n = to.template op<Bounded>(to.template op<Add>(of_x, to.template op<Multiply>(r, of_h)));
    const Wire apart = to.template op<Add>(h, to.template op<Minus>(n));
    return to.template op<Add>(n, to.template op<Multiply>(z, apart));
  }

  static constexpr bool check() {
    static_assert(GRUCell::positive, "sinter: GRUCell needs 1 hidden unit or more: GRUCell<32>");
    static_assert(GRUCell::known, "sinter: GRUCell takes the option NoBias, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::GRUCell;
using internal::LSTMCell;
}  // namespace sinter
