// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/layer.hpp"
#include "sinter/layers/norm_of_last.hpp"
#include "sinter/layers/norm_options.hpp"
#include "sinter/ops/group_normalization.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct channels_divisible_by_the_groups;
}  // namespace needs

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, with mean and variance over a whole sample (Ba, Kiros and
/// Hinton, 2016): PyTorch's with the sample's shape. x [B, N], [B, C, L] or [B, C, H, W]; weight, bias as a sample.
/// Options: Epsilon<1e-5>, NoAffine (neither weight nor bias), NoBias, and NormalizedShape<64>: along the last
/// dimensions alone, of these sizes, which weight and bias then have.
template <auto... Options>
struct LayerNorm {
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  static constexpr const char* name = "LayerNorm";
  using Needs = needs::last_dimensions_of_the_normalized_shape;

 private:
  static constexpr double epsilon = layer_option::get<layer_option::EpsilonTag>({1e-5}, Options...).value;
  static constexpr bool affine = layer_option::count<layer_option::NoAffineTag>(Options...) == 0,
                        biased = affine && layer_option::count<layer_option::NoBiasTag>(Options...) == 0,
                        whole = layer_option::count<layer_option::NormalizedShapeTag>(Options...) == 0;
  static constexpr Dims last = layer_option::get<layer_option::NormalizedShapeTag>({features(1)}, Options...).dims;
  using Parts = detail::NormOfLast<false, affine, biased, epsilon, last>;

 public:
  using Ops =
      std::conditional_t<whole, OpList<NormalizeGroups<1, epsilon, false, affine, biased>>, typename Parts::Ops>;
  static constexpr bool accepts(Dims in) { return whole || detail::ends_in(in, last); }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
    requires(!whole)
  static constexpr Wire build(Builder& to, Wire x) {
    return Parts::build(to, x);
  }

 private:
  static constexpr bool known =
      number_too_many || layer_option::only<layer_option::EpsilonTag, layer_option::NoAffineTag,
                                            layer_option::NoBiasTag, layer_option::NormalizedShapeTag>(Options...);

 public:
  static constexpr bool sound = layer_option::is_sound({epsilon});
  static constexpr bool shaped = last.rank > 0;
  static constexpr bool valid = known && sound && shaped;
  static constexpr bool check() {
    static_assert(known, "sinter: LayerNorm takes Epsilon, NoAffine, NoBias and NormalizedShape, each at most once");
    static_assert(sound, "sinter: LayerNorm needs a finite epsilon above 0");
    static_assert(shaped, "sinter: NormalizedShape has 1 to 3 sizes above 0, of at most 2,147,483,647 numbers");
    return true;
  }
};

/// The same over each of `Number` groups of neighbouring channels of a sample, with a weight and a bias for each
/// channel (Wu and He, 2018); 0 groups are a group for each channel. x [B, C, H, W], [B, C, L] or [B, C]; weight, bias
/// [C]. Options: Epsilon<1e-5>, NoAffine.
template <int Number, auto... Options>
struct GroupNorm {
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  static constexpr const char* name = "GroupNorm";
  using Needs = needs::channels_divisible_by_the_groups;

 private:
  static constexpr double epsilon = layer_option::get<layer_option::EpsilonTag>({1e-5}, Options...).value;
  static constexpr bool affine = layer_option::count<layer_option::NoAffineTag>(Options...) == 0;

 public:
  using Ops = OpList<NormalizeGroups<Number, epsilon, true, affine, affine>>;
  static constexpr bool accepts(Dims in) { return Number == 0 || in.channels % Number == 0; }

 private:
  static constexpr bool known =
      number_too_many || layer_option::only<layer_option::EpsilonTag, layer_option::NoAffineTag>(Options...);

 public:
  static constexpr bool countable = Number >= 0;
  static constexpr bool sound = layer_option::is_sound({epsilon});
  static constexpr bool valid = countable && known && sound;
  static constexpr bool check() {
    static_assert(countable, "sinter: GroupNorm needs a number of groups, or 0 for a group each channel");
    static_assert(known, "sinter: GroupNorm takes Epsilon and NoAffine, each at most once");
    static_assert(sound, "sinter: GroupNorm needs a finite epsilon above 0");
    return true;
  }
};

/// Normalises each channel of an image or a series separately, without weight and bias, as PyTorch's does by default;
/// with them, use GroupNorm<0>. x [B, C, H, W] or [B, C, L]. Options: Epsilon<1e-5>.
template <int Rank, auto... Options>
struct InstanceNorm {
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  static constexpr const char* name = Rank == 2 ? "InstanceNorm1d" : "InstanceNorm2d";
  using Needs =
      std::conditional_t<Rank == 2, needs::a_series_of_channels_and_a_length, needs::an_image_of_channels_height_width>;

 private:
  static constexpr double epsilon = layer_option::get<layer_option::EpsilonTag>({1e-5}, Options...).value;

 public:
  using Ops = OpList<NormalizeGroups<0, epsilon, true, false, false>>;
  static constexpr bool accepts(Dims in) { return in.rank == Rank; }

  static constexpr bool known = number_too_many || layer_option::only<layer_option::EpsilonTag>(Options...);
  static constexpr bool sound = layer_option::is_sound({epsilon});
  static constexpr bool valid = known && sound;
};

// Structs, because nvcc 13.0 does not declare the type of an option that goes through an alias template.

/// Normalises each channel of a series: see InstanceNorm.
template <auto... Options>
struct InstanceNorm1d : InstanceNorm<2, Options...> {
  static constexpr bool check() {
    static_assert(InstanceNorm1d::known, "sinter: InstanceNorm1d takes Epsilon, at most once");
    static_assert(InstanceNorm1d::sound, "sinter: InstanceNorm1d needs a finite epsilon above 0");
    return true;
  }
};
/// Normalises each channel of an image: see InstanceNorm.
template <auto... Options>
struct InstanceNorm2d : InstanceNorm<3, Options...> {
  static constexpr bool check() {
    static_assert(InstanceNorm2d::known, "sinter: InstanceNorm2d takes Epsilon, at most once");
    static_assert(InstanceNorm2d::sound, "sinter: InstanceNorm2d needs a finite epsilon above 0");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::GroupNorm;
using internal::InstanceNorm1d;
using internal::InstanceNorm2d;
using internal::LayerNorm;
}  // namespace sinter
