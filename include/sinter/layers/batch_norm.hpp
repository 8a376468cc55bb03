// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/norm_options.hpp"
#include "sinter/ops/batch_normalization.hpp"

SINTER_NAMESPACE_BEGIN

namespace layer_option {
struct MomentumTag {
  double value;
};
}  // namespace layer_option
/// The weight of a new batch in running averages: 0.1 unless given.
template <double Value>
inline constexpr layer_option::MomentumTag Momentum{Value};

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, channel by channel (Ioffe and Szegedy, 2015): with mean
/// and variance over all rows (and pixels) of the batch while training, which needs more than one number a channel;
/// with the running ones in inference, where it rides on the product before it. x [B, C, H, W], [B, C, L] or [B, C].
/// weight, bias, running_mean, running_var [C]. Options: Epsilon<1e-5>, Momentum<0.1>, NoAffine (neither weight nor
/// bias). A step that is skipped changes no buffer.
template <int Rank, auto... Options>
struct BatchNorm {
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  static constexpr const char* name = Rank == 1 ? "BatchNorm1d" : "BatchNorm2d";
  using Needs = std::conditional_t<Rank == 1, needs::rows_of_features_put_Flatten_before_it,
                                   needs::an_image_of_channels_height_width>;

 private:
  static constexpr double epsilon = layer_option::get<layer_option::EpsilonTag>({1e-5}, Options...).value;
  static constexpr double momentum = layer_option::get<layer_option::MomentumTag>({0.1}, Options...).value;
  static constexpr bool affine = layer_option::count<layer_option::NoAffineTag>(Options...) == 0;
  using Gather = Statistics<epsilon, momentum>;
  using Apply = NormalizeChannels<affine>;

 public:
  using Ops = OpList<Gather, Apply>;
  static constexpr bool accepts(Dims in) { return in.rank == Rank || (Rank == 1 && in.rank == 2); }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return to.template op<Apply>(x, to.template op<Gather>(x));
  }

  static constexpr bool known =
      number_too_many ||
      layer_option::only<layer_option::EpsilonTag, layer_option::MomentumTag, layer_option::NoAffineTag>(Options...);
  static constexpr bool sound = layer_option::is_sound({epsilon}) && momentum >= 0 && momentum <= 1;
  static constexpr bool valid = known && sound;
};

// Structs, because nvcc 13.0 does not declare the type of an option that goes through an alias template.

/// Normalises features, or the channels of a series, over the batch: see BatchNorm.
template <auto... Options>
struct BatchNorm1d : BatchNorm<1, Options...> {
  static constexpr bool check() {
    static_assert(BatchNorm1d::known, "sinter: BatchNorm1d takes Epsilon, Momentum and NoAffine, each at most once");
    static_assert(BatchNorm1d::sound,
                  "sinter: BatchNorm1d needs a finite epsilon above 0 and a momentum between 0 and 1");
    return true;
  }
};
/// Normalises the channels of images over the batch: see BatchNorm.
template <auto... Options>
struct BatchNorm2d : BatchNorm<3, Options...> {
  static constexpr bool check() {
    static_assert(BatchNorm2d::known, "sinter: BatchNorm2d takes Epsilon, Momentum and NoAffine, each at most once");
    static_assert(BatchNorm2d::sound,
                  "sinter: BatchNorm2d needs a finite epsilon above 0 and a momentum between 0 and 1");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::BatchNorm1d;
using internal::BatchNorm2d;
using internal::Momentum;
}  // namespace sinter
