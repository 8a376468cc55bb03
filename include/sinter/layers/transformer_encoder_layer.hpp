// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/multihead_attention.hpp"
#include "sinter/layers/norm_options.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/group_normalization.hpp"
#include "sinter/ops/scale.hpp"

SINTER_NAMESPACE_BEGIN

namespace layer_option {
struct NormFirstTag {};
template <class L>
struct WithActivationTag {
  using Activation = L;
};

/// The tag of the activation that was given, or else ReLU's.
constexpr WithActivationTag<ReLU> activation_of() { return {}; }
template <class L, class... Rest>
constexpr WithActivationTag<L> activation_of(WithActivationTag<L> given, Rest...) {
  return given;
}
template <class First, class... Rest>
constexpr auto activation_of(First, Rest... rest) {
  return activation_of(rest...);
}
}  // namespace layer_option
/// A TransformerEncoderLayer normalises what goes into its two branches, and not what comes out of them: PyTorch's
/// norm_first.
inline constexpr layer_option::NormFirstTag NormFirst{};
/// The activation between its two linear layers: WithActivation<GELU>.
template <class Layer>
inline constexpr layer_option::WithActivationTag<Layer> WithActivation{};

namespace detail {

/// The ops of a TransformerEncoderLayer. Products read a series whose channels are the features, [Size, T], and norms
/// one whose channels are the steps, [T, Size].
template <int Size, int Heads, int Hidden, double P, bool Causal, bool WithBias, bool Turned, double Epsilon,
          class Activation>
struct EncoderParts {
  using Exchange = MapIndices<Transpose<1, 2>>;
  using Attention = SelfAttention<Size, Heads, P, Causal, WithBias, Turned>;
  /// Normalises a step by its mean and variance; its output has the features as channels.
  struct Norm {
    using Normalize = NormalizeGroups<0, Epsilon, true, false, false>;
    using Weights = ScaleAndShift<WithBias, features(Size)>;
    using Ops = OpList<Normalize, Exchange, Weights>;
    template <class Builder, class Wire>
    static constexpr Wire build(Builder& to, Wire x) {
      return to.template op<Weights>(to.template op<Exchange>(to.template op<Normalize>(x)));
    }
  };
  template <int Out>
  struct Product {
    using Ops = OpList<PositionProduct<Out, WithBias>>;
  };
  using Drop = std::conditional_t<(P > 0), OpList<Mask<P, false>>, OpList<>>;
  struct Dropped {
    using Ops = Drop;
  };
  using FeedForwardOps =
      concatenate<typename Product<Hidden>::Ops, typename Activation::Ops, Drop, typename Product<Size>::Ops, Drop>;

  template <class Builder, class Wire>
  static constexpr Wire attention(Builder& to, Wire x) {
    return to.template child<Dropped>(0, to.template child<Attention>("self_attn", x));
  }
  template <class Builder, class Wire>
  static constexpr Wire feed_forward(Builder& to, Wire x) {
    x = to.template child<Activation>(0, to.template child<Product<Hidden>>("linear1", x));
    x = to.template child<Product<Size>>("linear2", to.template child<Dropped>(0, x));
    return to.template child<Dropped>(0, x);
  }
};

template <bool NormFirst, class Parts>
struct EncoderOps {
  using Norm = typename Parts::Norm;
  using Exchange = typename Parts::Exchange;
  using ExchangeOp = OpList<Exchange>;
  using Ops = std::conditional_t<
      NormFirst,
      concatenate<typename Norm::Ops, typename Parts::Attention::Ops, typename Parts::Drop, OpList<Exchange, Add>,
                  typename Norm::Ops, typename Parts::FeedForwardOps, OpList<Exchange, Add>>,
      concatenate<ExchangeOp, typename Parts::Attention::Ops, typename Parts::Drop, OpList<Exchange, Add>,
                  typename Norm::Ops, typename Parts::FeedForwardOps, OpList<Add, Exchange>, typename Norm::Ops,
                  ExchangeOp>>;
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const auto exchange = [&to](Wire from) { return to.template op<Exchange>(from); };
    if constexpr (NormFirst) {
      x = to.template op<Add>(exchange(Parts::attention(to, to.template child<Norm>("norm1", x))), x);
      return to.template op<Add>(exchange(Parts::feed_forward(to, to.template child<Norm>("norm2", x))), x);
    } else {
      x = to.template op<Add>(exchange(Parts::attention(to, exchange(x))), x);
      x = to.template child<Norm>("norm1", x);
      x = to.template op<Add>(Parts::feed_forward(to, x), x);
      return exchange(to.template child<Norm>("norm2", exchange(x)));
    }
  }
};

}  // namespace detail

/// A block of a transformer (Vaswani et al., 2017): torch.nn.TransformerEncoderLayer(Size, Heads, Hidden,
/// batch_first=True).   x [B, T, Size]  y [B, T, Size]
///     x = norm1(x + self_attn(x)),  y = norm2(x + linear2(activation(linear1(x))))
///     x = x + self_attn(norm1(x)),  y = x + linear2(activation(linear1(norm2(x))))        with NormFirst
/// Parameters are self_attn.in_proj_weight and the others of a MultiheadAttention, linear1.weight [Hidden, Size],
/// linear2.weight [Size, Hidden], norm1.weight, norm2.weight [Size], and their biases.
/// Options: NormFirst, Causal (a step sees itself and those before it), Rotary (positions by a RotaryEmbedding of
/// queries and keys), WithActivation<ReLU>, WithDropout<0.1> (of the weights of the attention, of its output, of the
/// activations and of the output), Epsilon<1e-5> of the norms, NoBias.
/// Cost 8 B T Size^2 + 4 B T^2 Size + 4 B T Size Hidden flops forward, twice that backward.
template <int Size, int Heads, int Hidden, auto... Options>
struct TransformerEncoderLayer {
  static constexpr const char* name = "TransformerEncoderLayer";
  using Needs = needs::a_sequence_of_steps_and_as_many_features_as_its_first_number;

 private:
  using ActivationTag = decltype(layer_option::activation_of(Options...));
  static constexpr double dropout = layer_option::get<layer_option::WithDropoutTag>({0.1}, Options...).probability,
                          epsilon = layer_option::get<layer_option::EpsilonTag>({1e-5}, Options...).value;
  static constexpr bool positive = Hidden > 0 && Heads > 0 && Size > 0 && Size <= layer_option::most_units,
                        divisible = positive && Size % (positive ? Heads : 1) == 0,
                        a_probability = dropout >= 0 && dropout < 1,
                        turned = layer_option::count<layer_option::RotaryTag>(Options...) > 0,
                        in_pairs = !turned || (divisible && Size / (positive ? Heads : 1) % 2 == 0);
  using Parts = detail::EncoderParts<positive ? Size : 1, Heads, Hidden, dropout,
                                     (layer_option::count<layer_option::CausalTag>(Options...) > 0),
                                     layer_option::count<layer_option::NoBiasTag>(Options...) == 0, turned && in_pairs,
                                     epsilon, typename ActivationTag::Activation>;
  using Block = detail::EncoderOps<(layer_option::count<layer_option::NormFirstTag>(Options...) > 0), Parts>;

 public:
  using Ops = typename Block::Ops;
  static constexpr bool accepts(Dims in) { return in.rank == 2 && in.width == Size; }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return Block::build(to, x);
  }

  static constexpr bool known =
      layer_option::only<layer_option::NormFirstTag, layer_option::CausalTag, layer_option::RotaryTag, ActivationTag,
                         layer_option::WithDropoutTag, layer_option::EpsilonTag, layer_option::NoBiasTag>(Options...);
  static constexpr bool sound = layer_option::is_sound({epsilon});
  static constexpr bool valid = divisible && known && in_pairs && a_probability && sound;
  static constexpr bool check() {
    static_assert(divisible,
                  "sinter: TransformerEncoderLayer<features, heads, hidden> needs features divisible by heads, all "
                  "above 0 and at most 1,048,576");
    static_assert(known,
                  "sinter: TransformerEncoderLayer takes NormFirst, Causal, Rotary, WithActivation, WithDropout, "
                  "Epsilon and NoBias, each at most once");
    static_assert(!divisible || in_pairs, "sinter: Rotary turns pairs of the features of a head: their number is even");
    static_assert(a_probability, "sinter: the WithDropout of a TransformerEncoderLayer is 0 or more, and below 1");
    static_assert(sound, "sinter: TransformerEncoderLayer needs a finite epsilon above 0");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::NormFirst;
using internal::TransformerEncoderLayer;
using internal::WithActivation;
}  // namespace sinter
