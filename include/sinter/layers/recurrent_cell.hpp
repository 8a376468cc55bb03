// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/concatenate.hpp"
#include "sinter/ops/elementwise.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_row_of_features_and_then_the_state;
}  // namespace needs

namespace detail {

/// What LSTMCell and GRUCell have in common: a row of features, then `States` vectors of Hidden numbers.
template <int Gates, int States, int Units, auto... Options>
struct RecurrentCell {
  static constexpr bool positive = Units > 0 && Units <= layer_option::most_units;
  static constexpr int Hidden = positive ? Units : 1;
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  using Needs = needs::a_row_of_features_and_then_the_state;
  static constexpr bool accepts(Dims in) { return in.rank == 1 && in.channels > States * Hidden; }
  static constexpr Dims output(Dims) { return features(States * Hidden); }

 protected:
  static constexpr bool biased = layer_option::count<layer_option::NoBiasTag>(Options...) == 0;
  static constexpr bool known = number_too_many || layer_option::only<layer_option::NoBiasTag>(Options...);

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

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
}  // namespace sinter
