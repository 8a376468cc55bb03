// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/negation.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/layers/path.hpp"
#include "sinter/layers/refused.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/elementwise.hpp"
#include "sinter/ops/map.hpp"

SINTER_NAMESPACE_BEGIN

/// y = t path(x) + (1 - t) x with t = sigmoid(gate(x)) (Srivastava, Greff and Schmidhuber, 2015); path and gate end in
/// the shape of x.   Highway<Path<Linear<8>, ReLU>, Path<Linear<8>>>: the path, then the gate, its sigmoid left out.
/// Parameters are named "transform.0.weight", "gate.0.weight", ..
template <class GivenPath, class GivenGate>
struct Highway {
  using PathLayers = detail::chain_of<GivenPath>;
  using GateLayers = detail::chain_of<GivenGate>;
  static constexpr const char* name = "Highway";
  using Needs = needs::a_path_and_a_gate_that_accept_it_and_end_in_its_shape;
  using Parts = TypeList<PathLayers, GateLayers>;
  using PartNames = TypeList<place::transform, place::gate>;
  using Open = Map<fn::Sigmoid>;
  using Minus = Map<fn::Negation>;
  using Ops = concatenate<typename PathLayers::Ops, typename GateLayers::Ops, OpList<Open, Minus, Add, Multiply, Add>>;
  static constexpr bool accepts(Dims in) {
    return PathLayers::accepts(in) && GateLayers::accepts(in) && PathLayers::output(in) == in &&
           GateLayers::output(in) == in;
  }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire made = to.template child<PathLayers>("transform", x);
    const Wire open = to.template op<Open>(to.template child<GateLayers>("gate", x));
    const Wire apart = to.template op<Add>(to.template op<Minus>(x), made);
    return to.template op<Add>(to.template op<Multiply>(open, apart), x);
  }

  static constexpr bool valid = detail::is_chain<GivenPath> && detail::is_chain<GivenGate>;
  static constexpr bool check() {
    static_assert(valid, "sinter: a Highway takes its layers in two Paths: Highway<Path<Linear<8>>, Path<..>>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Highway;
}  // namespace sinter
