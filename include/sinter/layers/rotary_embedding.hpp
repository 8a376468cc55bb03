// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/rotary.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/index_map.hpp"
#include "sinter/ops/map.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_sequence_of_steps_whose_features_are_divisible_by_that_number;
}  // namespace needs

namespace detail {
/// Features 2 i and 2 i + 1 exchanged, of [steps, features] or of [features, steps].
template <bool StepsFirst>
struct ExchangePairs {
  static constexpr const char* name = "exchange of pairs";
  static constexpr IndexMap indices(Dims in) {
    constexpr int features = StepsFirst ? 2 : 0;
    IndexMap map = unchanged(in);
    const IndexFactor last = map.factor[2];
    const int pairs = size_along(in, features) / 2;
    map.count = 4;
    if (!StepsFirst) map.factor[3] = last, map.factor[2] = map.factor[1];
    map.factor[features] = {IndexRule::shift, pairs, pairs, 0, features, 2, features, 2};
    map.factor[features + 1] = {IndexRule::flip, 2, 2, 0, features, 1, features, 1};
    return map;
  }
};

/// y = x cos + (pairs of x exchanged, the first one negative) sin, see RotaryTable.
template <int HeadSize, bool StepsFirst>
struct Rotate {
  using Exchange = MapIndices<ExchangePairs<StepsFirst>>;
  using Sine = Map<fn::Rotary<HeadSize, StepsFirst, true>>;
  using Cosine = Map<fn::Rotary<HeadSize, StepsFirst, false>>;
  using Ops = OpList<Exchange, Sine, Cosine, Add>;
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire turned = to.template op<Sine>(to.template op<Exchange>(x));
    return to.template op<Add>(to.template op<Cosine>(x), turned);
  }
};
}  // namespace detail

/// Turns each pair of neighbouring features by an angle that grows with the step, so that the product of two rows
/// depends on how many steps they are apart (Su et al., 2021): torchtune's RotaryPositionalEmbeddings(HeadSize), of
/// queries and keys. No parameters.
///     y[t][2i]     = x[t][2i] cos a - x[t][2i + 1] sin a        a = t 10000^(-2i / HeadSize), i < HeadSize / 2
///     y[t][2i + 1] = x[t][2i + 1] cos a + x[t][2i] sin a        and the same for the next HeadSize features
/// x [B, Steps, Size]  y [B, Steps, Size], Size divisible by HeadSize
template <int HeadSize>
struct RotaryEmbedding {
  static constexpr const char* name = "RotaryEmbedding";
  using Needs = needs::a_sequence_of_steps_whose_features_are_divisible_by_that_number;
  static constexpr bool valid = HeadSize > 0 && HeadSize % 2 == 0;

 private:
  using Pairs = detail::Rotate<valid ? HeadSize : 2, true>;

 public:
  using Ops = typename Pairs::Ops;
  static constexpr bool accepts(Dims in) { return in.rank == 2 && in.width % (valid ? HeadSize : 2) == 0; }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    return Pairs::build(to, x);
  }
  static constexpr bool check() {
    static_assert(valid, "sinter: RotaryEmbedding<features of a head> turns pairs of features: their number is even");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::RotaryEmbedding;
}  // namespace sinter
