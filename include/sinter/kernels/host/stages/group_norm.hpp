// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/kernels/host/stages/pointwise.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/ops/group_normalization.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The moments of a group of `count` numbers: `each(f)` calls f(x) for each of them.
template <class V, class Each>
SINTER_INLINE GroupMoments<V> moments_of_group(int count, double epsilon, Each&& each) {
  const V reciprocal(static_cast<scalar_of<V>>(1.0 / count));
  V total(0), left(0), squares(0);
  each([&](V x) SINTER_LAMBDA { total += x; });
  const V mean = product(total, reciprocal);
  each([&](V x) SINTER_LAMBDA {
    const V apart = x - mean;
    left += apart;
    squares = fma(apart, apart, squares);
  });
  const V rest = product(left, reciprocal);
  const V variance = fma(squares, reciprocal, V(static_cast<scalar_of<V>>(epsilon)) - product(rest, rest));
  return {mean, rest, V(1) / fn::sqrt(variance)};
}

/// Calls f(position) for each element of a group of the channels.
template <class F>
SINTER_INLINE void for_each_of_group(const Op& op, int group, F&& f) {
  const int channels = op.in.channels / op.groups;
  for (int c = group * channels; c < (group + 1) * channels; ++c)
    for (int y = 0; y < op.in.height; ++y)
      for (int x = 0; x < op.in.width; ++x) f(Position{c, y, x});
}

/// Runs a stage that begins with group_normalize on a tile. Each lane is a sample, with its own moments, which training
/// keeps for backward: [groups][mean, rest, scale].
template <class Tile, int S>
struct GroupNormStage {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  static constexpr int first = P::stage(S).first, input = P::stage(S).input;
  static constexpr Op op = P::op(first);
  static constexpr int count = op.in.size() / op.groups;

  const Tile& tile;

  SINTER_INLINE V load(Position p) const { return tile.load(value_at<Tile, input>(p, op.in)); }
  SINTER_INLINE int number(Position p) const { return op.per_channel ? p.channel : p.within(op.in); }

  void forward() const {
    for (int group = 0; group < op.groups; ++group) {
      const auto moments = moments_of_group<V>(count, op.epsilon, [&](auto take) SINTER_LAMBDA {
        for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA { take(load(p)); });
      });
      if constexpr (Tile::training) {
        const Spot at = Tile::saved(first).begin() + 3 * group;
        tile.store(at, moments.mean);
        tile.store(at + 1, moments.rest);
        tile.store(at + 2, moments.scale);
      }
      for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA {
        V one[1] = {moments.normalized(load(p))};
        if constexpr (op.weight >= 0) one[0] = product(one[0], V(tile.parameter(op.weight)[number(p)]));
        if constexpr (op.bias >= 0) one[0] = add(one[0], V(tile.parameter(op.bias)[number(p)]));
        ride<Tile, S, first + 1>(tile, p, one);
      });
    }
  }
  void backward() const {
    constexpr Place dy = Tile::gradient_of(S);
    const V reciprocal(static_cast<T>(1.0 / count));
    for (int group = 0; group < op.groups; ++group) {
      const Spot at = Tile::saved(first).begin() + 3 * group;
      const GroupMoments<V> moments{tile.load(at), tile.load(at + 1), tile.load(at + 2)};
      const auto weighted = [&](Position p) SINTER_LAMBDA {
        const V g = tile.load(dy.at(p.channel, p.y, p.x));
        if constexpr (op.weight >= 0)
          return product(g, V(tile.parameter(op.weight)[number(p)]));
        else
          return g;
      };
      V total(0), along(0);
      for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA {
        const V g = weighted(p), h = moments.normalized(load(p));
        total += g;
        along = fma(g, h, along);
        if constexpr (op.weight >= 0) {
          const V d = tile.load(dy.at(p.channel, p.y, p.x));
          tile.parameter_gradient(op.weight)[number(p)] += sum(product(d, h));
          if constexpr (op.bias >= 0) tile.parameter_gradient(op.bias)[number(p)] += sum(d);
        }
      });
      if constexpr (wants_input_gradient<Tile, S>) {
        total = product(total, reciprocal);
        along = product(along, reciprocal);
        for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA {
          const V h = moments.normalized(load(p));
          give_input_gradient<Tile, S>(tile, p, moments.gradient(h, weighted(p), total, along));
        });
      }
    }
  }
};

template <>
struct StageKernel<Source::group_normalize> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    GroupNormStage<Tile, S>{tile}.forward();
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    GroupNormStage<Tile, S>{tile}.backward();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
