// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/norm_of_last.hpp"

SINTER_NAMESPACE_BEGIN

/// y = x / sqrt(mean of x^2 + epsilon) * weight along the last dimensions (Zhang and Sennrich, 2019):
///     RMSNorm<NormalizedShape<64>>     // x [.., 64]; weight [64]
/// Options: NormalizedShape, Epsilon<1.1920929e-7> (PyTorch's for float), NoAffine.
template <auto... Options>
struct RMSNorm {
  static constexpr const char* name = "RMSNorm";
  using Needs = needs::last_dimensions_of_the_normalized_shape;

 private:
  static constexpr double epsilon =
      layer_option::get<layer_option::EpsilonTag>({1.1920928955078125e-7}, Options...).value;
  static constexpr bool affine = layer_option::count<layer_option::NoAffineTag>(Options...) == 0,
                        given = layer_option::count<layer_option::NormalizedShapeTag>(Options...) > 0;
  static constexpr Dims last = layer_option::get<layer_option::NormalizedShapeTag>({features(1)}, Options...).dims;
  using Parts = detail::NormOfLast<true, affine, false, epsilon, last>;

 public:
  using Ops = typename Parts::Ops;
  static constexpr bool accepts(Dims in) { return detail::ends_in(in, last); }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return Parts::build(to, x);
  }

 private:
  static constexpr bool known =
      layer_option::only<layer_option::EpsilonTag, layer_option::NoAffineTag, layer_option::NormalizedShapeTag>(
          Options...);

 public:
  static constexpr bool sound = layer_option::is_sound({epsilon});
  static constexpr bool shaped = last.rank > 0;
  static constexpr bool valid = known && given && sound && shaped;
  static constexpr bool check() {
    static_assert(known, "sinter: RMSNorm takes NormalizedShape, Epsilon and NoAffine, each at most once");
    static_assert(given, "sinter: RMSNorm needs the sizes of the last dimensions: RMSNorm<NormalizedShape<64>>");
    static_assert(sound, "sinter: RMSNorm needs a finite epsilon above 0");
    static_assert(shaped, "sinter: NormalizedShape has 1 to 3 sizes above 0, of at most 2,147,483,647 numbers");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::RMSNorm;
}  // namespace sinter
