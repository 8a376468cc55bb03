// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/tanh.hpp"

SINTER_NAMESPACE_BEGIN

/// The formulas of recurrent cells (PyTorch's) and their adjoints, for one hidden unit at one step. V is a number or a
/// pack. A cell has weights of `gates` rows for each unit, and numbers k[kept] for each unit and step:
///     ///     before forward    k[gate] = W_ih x + b_ih, and u[gate] = W_hh h + b_hh is passed separately
///     after it          what backward needs; k[state], if the cell has a state besides h, is that state
///     after backward    k[gate] = the gradient of W_ih x + b_ih; that of W_hh h + b_hh is there too, except that the
///                       one of the last gate is in k[hidden_slot]
/// `h` and `c` are the unit's output and state of the step before. backward gets dh, the gradient of the output, and
/// dc, that of the state, which becomes that of `c`; it returns that of `h`, as far as it does not come through W_hh.
namespace cells {

/// h' = tanh(a + u).
struct Rnn {
  static constexpr const char* name = "RNN";
  static constexpr int gates = 1, kept = 1, state = -1, hidden_slot = 0;

  template <class V>
  SINTER_FN static V forward(V (&k)[kept], const V (&u)[gates], V, V) {
    k[0] = fn::Tanh::forward(k[0] + u[0]);
    return k[0];
  }
  template <class V>
  SINTER_FN static V backward(V (&k)[kept], V dh, V&, V, V) {
    k[0] = fn::Tanh::backward(k[0], dh);
    return V(0);
  }
};

/// r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + r u_n), h' = (1 - z) n + z h.
struct Gru {
  static constexpr const char* name = "GRU";
  static constexpr int gates = 3, kept = 4, state = -1, hidden_slot = 3;

  template <class V>
  SINTER_FN static V forward(V (&k)[kept], const V (&u)[gates], V h, V) {
    k[0] = fn::Sigmoid::forward(k[0] + u[0]);
    k[1] = fn::Sigmoid::forward(k[1] + u[1]);
    k[2] = fn::Tanh::forward(fn::fma(k[0], u[2], k[2]));
    k[3] = u[2];
    return fn::fma(k[1], h - k[2], k[2]);
  }
  template <class V>
  SINTER_FN static V backward(V (&k)[kept], V dh, V&, V h, V) {
    const V r = k[0], z = k[1], n = k[2], u = k[3], through = fn::product(dh, z);
    k[2] = fn::Tanh::backward(n, dh - through);
    k[1] = fn::Sigmoid::backward(z, fn::product(dh, h - n));
    k[0] = fn::Sigmoid::backward(r, fn::product(k[2], u));
    k[3] = fn::product(k[2], r);
    return through;
  }
};

/// i, f, o = sigmoid(a + u), g = tanh(a + u), c' = f c + i g, h' = o tanh(c'). Gates are i, f, g, o.
struct Lstm {
  static constexpr const char* name = "LSTM";
  static constexpr int gates = 4, kept = 5, state = 4, hidden_slot = 3;

  template <class V>
  SINTER_FN static V forward(V (&k)[kept], const V (&u)[gates], V, V c) {
    k[0] = fn::Sigmoid::forward(k[0] + u[0]);
    k[1] = fn::Sigmoid::forward(k[1] + u[1]);
    k[2] = fn::Tanh::forward(k[2] + u[2]);
    k[3] = fn::Sigmoid::forward(k[3] + u[3]);
    k[4] = fn::fma(k[1], c, fn::product(k[0], k[2]));
    return fn::product(k[3], fn::Tanh::forward(k[4]));
  }
  template <class V>
  SINTER_FN static V backward(V (&k)[kept], V dh, V& dc, V, V c) {
    const V i = k[0], f = k[1], g = k[2], o = k[3], y = fn::Tanh::forward(k[4]);
    const V d = dc + fn::Tanh::backward(y, fn::product(dh, o));
    k[0] = fn::Sigmoid::backward(i, fn::product(d, g));
    k[1] = fn::Sigmoid::backward(f, fn::product(d, c));
    k[2] = fn::Tanh::backward(g, fn::product(d, i));
    k[3] = fn::Sigmoid::backward(o, fn::product(dh, y));
    dc = fn::product(d, f);
    return V(0);
  }
};

}  // namespace cells

SINTER_NAMESPACE_END
