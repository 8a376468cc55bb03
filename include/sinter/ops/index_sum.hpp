// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/ops/index_terms.hpp"

SINTER_NAMESPACE_BEGIN

/// The terms of a number of y = A x, or, transposed, of A^T y, where A is the index map of a layer for inputs of a
/// shape: for all devices. Hash is that of the model: another file's layer of the same name may have another map.
template <class Layer, Dims In, bool Transposed, std::uint64_t Hash>
struct IndexSum {
  static constexpr IndexMap map = Layer::indices(In);
  template <int K>
  using Side = SideOfFactor<map.factor[K], Transposed>;
  /// Where a term is along each axis of the other side, and its weight.
  struct Term {
    int at[3] = {0, 0, 0};
    double weight = 1;
  };

 private:
  /// Whether the first positions of an axis have no terms.
  template <int Axis>
  static constexpr bool leaves_out = Transposed && Axis == 0 && map.first > 0;
  using EachFactor = std::make_integer_sequence<int, map.count>;
  template <class One>
  static constexpr bool keeps_row = One::axis != 2 || One::size == 1 ||
                                    (One::rule == IndexRule::shift && One::step == 1 && One::other_step == 1 &&
                                     (One::other_axis == 2 || (!Transposed && In.rank == 1)));

 public:
  /// Whether each number has one term at most.
  static constexpr bool single = []<int... K>(std::integer_sequence<int, K...>) {
    return (... && Side<K>::single);
  }(EachFactor{});
  /// Whether all weights are 1.
  static constexpr bool unit = []<int... K>(std::integer_sequence<int, K...>) {
    return (... && Side<K>::unit);
  }(EachFactor{});
  /// Whether the numbers of a row that have a term are unchanged copies of consecutive numbers of a row.
  static constexpr bool keeps_rows = []<int... K>(std::integer_sequence<int, K...>) {
    return single && unit && (... && keeps_row<Side<K>>);
  }(EachFactor{});

  /// How many terms position i of an axis has.
  template <int Axis>
  SINTER_FN static int count(int i) {
    int all = 1;
    if constexpr (leaves_out<Axis>) i -= map.first;
    if (leaves_out<Axis> && i < 0) return 0;
    unroll<map.count>([&](auto k) SINTER_LAMBDA {
      using One = Side<decltype(k)::value>;
      if constexpr (One::axis == Axis) all *= One::count(i / One::step % One::size);
    });
    return all;
  }
  /// Combines term t of position i of an axis with those of the other axes.
  template <int Axis>
  SINTER_FN static Term term(Term to, int i, int t) {
    if constexpr (leaves_out<Axis>) i -= map.first;
    if constexpr (Axis == 0 && !Transposed) to.at[0] += map.first;
    unroll<map.count>([&](auto k) SINTER_LAMBDA {
      using One = Side<decltype(k)::value>;
      if constexpr (One::axis == Axis) {
        const int part = i / One::step % One::size, terms = One::count(part);
        const auto one = One::term(part, t % terms);
        t /= terms;
        to.at[One::other_axis] += one.index * One::other_step;
        to.weight *= one.weight;
      }
    });
    return to;
  }
  /// Whether a number has any terms, and the first one.
  SINTER_FN static bool any(int channel, int y, int x) {
    return count<0>(channel) > 0 && count<1>(y) > 0 && count<2>(x) > 0;
  }
  SINTER_FN static Term first(int channel, int y, int x) {
    return term<2>(term<1>(term<0>(Term{}, channel, 0), y, 0), x, 0);
  }
  /// Calls visit(term) for all terms of a number.
  template <class Visit>
  SINTER_FN static void each(int channel, int y, int x, Visit&& visit) {
    const int channels = count<0>(channel), rows = count<1>(y), columns = count<2>(x);
    for (int c = 0; c < channels; ++c)
      for (int r = 0; r < rows; ++r) {
        const Term line = term<1>(term<0>(Term{}, channel, c), y, r);
        for (int k = 0; k < columns; ++k) visit(term<2>(line, x, k));
      }
  }
  /// A number: the sum of load(channel, y, x) times weight over its terms, in their order.
  template <class V, class Load>
  SINTER_FN static V of(int channel, int y, int x, Load&& load) {
    if constexpr (single && unit) {
      if (!any(channel, y, x)) return V(0);
      const Term one = first(channel, y, x);
      return load(one.at[0], one.at[1], one.at[2]);
    } else {
      V sum(0);
      each(channel, y, x, [&](const Term& one) SINTER_LAMBDA {
        sum = fn::fma(load(one.at[0], one.at[1], one.at[2]), V(static_cast<scalar_of<V>>(one.weight)), sum);
      });
      return sum;
    }
  }
};

SINTER_NAMESPACE_END
