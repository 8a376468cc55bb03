// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/fn/softmax.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/layers/permute.hpp"
#include "sinter/layers/rotary_embedding.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/ops/mask.hpp"
#include "sinter/ops/matrix_product.hpp"
#include "sinter/ops/product.hpp"
#include "sinter/ops/row.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_sequence_of_steps_and_as_many_features_as_its_first_number;
}  // namespace needs

namespace layer_option {
struct WithDropoutTag {
  double probability;
};
struct RotaryTag {};
}  // namespace layer_option
/// The queries and keys of attention are turned by angles that grow with the step: see RotaryEmbedding.
inline constexpr layer_option::RotaryTag Rotary{};
/// The probability of every dropout in a layer that has some inside: PyTorch's argument dropout.
template <auto P>
inline constexpr layer_option::WithDropoutTag WithDropout{static_cast<double>(P)};

namespace detail {

/// Self-attention of a series whose channels are the features, [Size, T]: this way the heads of queries, keys and
/// values are neighbouring channels, and the steps of each number are side by side.
template <int Size, int Heads, double P, bool Causal, bool WithBias, bool Turned>
struct SelfAttention {
  /// Queries, keys and values in one product.
  struct InProjection {
    static constexpr Op describe(Dims in) { return PositionProduct<3 * Size, WithBias>::describe(in); }
    template <class Builder>
    static constexpr void declare(Op& op, Builder& to) {
      Parameter p{.name = "in_proj_weight",
                  .shape = {3 * Size, Size},
                  .rank = 2,
                  .fan_in = Size,
                  .fan_out = 3 * Size,
                  .start = Start::xavier};
      op.weight = to.parameter(p);
      p.name = "in_proj_bias";
      p.shape = {3 * Size};
      p.rank = 1;
      p.is_bias = true;
      p.start = Start::zeros;
      if (WithBias) op.bias = to.parameter(p);
    }
  };
  template <int Number>
  using Third = MapIndices<Slice<Number * Size, Size>>;
  /// Queries and keys, to be turned.
  using TwoThirds = MapIndices<Slice<0, 2 * Size>>;
  using Turn = Rotate<Turned ? Size / Heads : 2, false>;
  using Operands =
      std::conditional_t<Turned,
                         concatenate<OpList<Third<2>, TwoThirds>, typename Turn::Ops, OpList<Third<0>, Third<1>>>,
                         OpList<Third<0>, Third<1>, Third<2>>>;
  /// q k^T / sqrt(Size / Heads).   q, k [Heads, Size / Heads, T]  y [Heads, T, T]
  using Scores = MultiplyMatrices<true, false, 0.0, Causal>;
  using Weights = Row<fn::Softmax, true>;
  using Drop = Mask<P, false>;
  /// The sums of values by these weights, with the heads one after another.   v as k  y [Size, T]
  struct WeightedSums {
    static constexpr Op describe(Dims values, Dims weights) {
      Op op = MultiplyMatrices<false, true>::describe(values, weights);
      op.out = series(values.channels * values.height, weights.height);
      return op;
    }
  };
  struct OutProjection {
    using Product = PositionProduct<Size, WithBias>;
    static constexpr Op describe(Dims in) { return Product::describe(in); }
    template <class Builder>
    static constexpr void declare(Op& op, Builder& to) {
      declare_product(op, to, {Size, Size}, 2, Start::zeros);
    }
    using Ops = OpList<OutProjection>;
  };
  using Ops = concatenate<OpList<InProjection>, Operands, OpList<Scores, Weights>,
                          std::conditional_t<(P > 0), OpList<Drop>, OpList<>>, OpList<WeightedSums, OutProjection>>;

  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Dims heads = image(Heads, Size / Heads, x.dims.width);
    const Wire all = to.template op<InProjection>(x);
    Wire q, k, v;
    if constexpr (Turned) {
      v = to.template op<Third<2>>(all);
      const Wire turned = Turn::build(to, to.template op<TwoThirds>(all));
      q = to.template op<Third<0>>(turned), k = to.template op<Third<1>>(turned);
    } else {
      q = to.template op<Third<0>>(all), k = to.template op<Third<1>>(all), v = to.template op<Third<2>>(all);
    }
    q.dims = k.dims = v.dims = heads;
    Wire weights = to.template op<Weights>(to.template op<Scores>(q, k));
    if constexpr (P > 0) weights = to.template op<Drop>(weights);
    return to.template child<OutProjection>("out_proj", to.template op<WeightedSums>(v, weights));
  }
};

}  // namespace detail

/// Each step of a sequence is a sum of all steps, weighted by how well its query fits their keys (Vaswani et al.,
/// 2017): torch.nn.MultiheadAttention(Size, Heads, batch_first=True) with its input as query, key and value.
///     q, k, v = W_in x + b_in, in `Heads` heads of d = Size / Heads numbers each
///     y = W_out softmax(q k^T / sqrt(d)) v + b_out, head by head
/// x [B, T, Size]  y [B, T, Size]  in_proj_weight [3 Size, Size] (of queries, keys, values)  in_proj_bias [3 Size]
/// out_proj.weight [Size, Size]  out_proj.bias [Size]. in_proj_weight starts by Xavier's uniform formula and both
/// biases as 0, as PyTorch's. Options: Causal (a step sees itself and those before it), Rotary (positions by a
/// RotaryEmbedding<d> of q and k), WithDropout<0> of the weights, NoBias.
/// Cost 8 B T Size^2 + 4 B T^2 Size flops forward, twice that backward; the weights are B Heads T^2 numbers.
template <int Size, int Heads, auto... Options>
struct MultiheadAttention {
  static constexpr const char* name = "MultiheadAttention";
  using Needs = needs::a_sequence_of_steps_and_as_many_features_as_its_first_number;

 private:
  static constexpr double dropout = layer_option::get<layer_option::WithDropoutTag>({0}, Options...).probability;
  static constexpr bool positive = Heads > 0 && Size > 0 && Size <= layer_option::most_units,
                        divisible = positive && Size % (positive ? Heads : 1) == 0,
                        a_probability = dropout >= 0 && dropout < 1,
                        turned = layer_option::count<layer_option::RotaryTag>(Options...) > 0,
                        in_pairs = !turned || (divisible && Size / (positive ? Heads : 1) % 2 == 0);
  using Attention =
      detail::SelfAttention<positive ? Size : 1, Heads, dropout,
                            (layer_option::count<layer_option::CausalTag>(Options...) > 0),
                            layer_option::count<layer_option::NoBiasTag>(Options...) == 0, turned && in_pairs>;
  using Exchange = MapIndices<Transpose<1, 2>>;

 public:
  using Ops = concatenate<OpList<Exchange>, typename Attention::Ops, OpList<Exchange>>;
  static constexpr bool accepts(Dims in) { return in.rank == 2 && in.width == Size; }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return to.template op<Exchange>(Attention::build(to, to.template op<Exchange>(x)));
  }

  static constexpr bool known = layer_option::only<layer_option::CausalTag, layer_option::RotaryTag,
                                                   layer_option::WithDropoutTag, layer_option::NoBiasTag>(Options...);
  static constexpr bool valid = divisible && known && in_pairs && a_probability;
  static constexpr bool check() {
    static_assert(divisible,
                  "sinter: MultiheadAttention<features, heads> needs features divisible by heads, all above 0 and at "
                  "most 1,048,576");
    static_assert(known, "sinter: MultiheadAttention takes Causal, Rotary, WithDropout and NoBias, each at most once");
    static_assert(!divisible || in_pairs, "sinter: Rotary turns pairs of the features of a head: their number is even");
    static_assert(a_probability, "sinter: the WithDropout of a MultiheadAttention is 0 or more, and below 1");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::MultiheadAttention;
using internal::Rotary;
using internal::WithDropout;
}  // namespace sinter
