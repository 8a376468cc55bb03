// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/negation.hpp"
#include "sinter/layers/recurrent_cell.hpp"

SINTER_NAMESPACE_BEGIN

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
    static_assert(GRUCell::positive, "sinter: GRUCell needs 1 to 1,048,576 hidden units: GRUCell<32>");
    static_assert(GRUCell::known, "sinter: GRUCell takes the option NoBias, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::GRUCell;
}  // namespace sinter
