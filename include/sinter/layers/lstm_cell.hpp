// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/recurrent_cell.hpp"

SINTER_NAMESPACE_BEGIN

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
    static_assert(LSTMCell::positive, "sinter: LSTMCell needs 1 to 1,048,576 hidden units: LSTMCell<32>");
    static_assert(LSTMCell::known, "sinter: LSTMCell takes the option NoBias, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::LSTMCell;
}  // namespace sinter
