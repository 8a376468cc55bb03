// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/macros.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

/// The terms of one factor of an index map: of output i the inputs that it is made of, each with its weight.
template <IndexFactor F>
struct FactorTerms {
  struct Term {
    int index = 0;
    double weight = 1;
  };
  static constexpr IndexRule rule = F.rule;
  static constexpr int in = F.in, out = F.out, begin = F.begin;
  static constexpr bool between = rule == IndexRule::linear || rule == IndexRule::aligned,
                        sums = rule == IndexRule::sum || rule == IndexRule::mean;
  static constexpr int most = sums ? in : between ? 2 : 1;

  SINTER_HOST_DEVICE static constexpr int count(int i) {
    if constexpr (rule == IndexRule::shift)
      return i + begin >= 0 && i + begin < in ? 1 : 0;
    else if constexpr (between)
      return position(i) > static_cast<int>(position(i)) ? 2 : 1;
    else
      return most;
  }
  SINTER_HOST_DEVICE static constexpr Term term(int i, int t) {
    [[maybe_unused]] const int at = i + begin;
    if constexpr (rule == IndexRule::shift) {
      return {at};
    } else if constexpr (rule == IndexRule::flip) {
      return {in - 1 - i};
    } else if constexpr (rule == IndexRule::reflect) {
      return {at < 0 ? -at : at >= in ? 2 * (in - 1) - at : at};
    } else if constexpr (rule == IndexRule::replicate) {
      return {at < 0 ? 0 : at >= in ? in - 1 : at};
    } else if constexpr (rule == IndexRule::nearest) {
      return {static_cast<int>(static_cast<long long>(i) * in / out)};
    } else if constexpr (sums) {
      return {t, rule == IndexRule::mean ? 1.0 / in : 1.0};
    } else {
      const int below = static_cast<int>(position(i));
      return {below + t, t == 0 ? 1 - (position(i) - below) : position(i) - below};
    }
  }

 private:
  /// Where output i is among the inputs.
  SINTER_HOST_DEVICE static constexpr double position(int i) {
    if constexpr (rule == IndexRule::aligned) return out == 1 ? 0.0 : static_cast<double>(i) * (in - 1) / (out - 1);
    const double middle = (i + 0.5) * in / out - 0.5;
    return middle < 0 ? 0.0 : middle > in - 1 ? in - 1.0 : middle;
  }
};

/// The terms of position i of a factor in a table: those of `term[first[i]]` to `term[first[i + 1] - 1]`.
template <IndexFactor F, bool Transposed>
struct TermTable {
  using Terms = FactorTerms<F>;
  using Term = typename Terms::Term;
  static constexpr std::size_t all = [] {
    int sum = 0;
    for (int i = 0; i < F.out; ++i) sum += Terms::count(i);
    return static_cast<std::size_t>(sum);
  }();
  static constexpr std::size_t positions = static_cast<std::size_t>(Transposed ? F.in : F.out);
  // Not std::array, whose functions are the host's: a GPU reads these.
  int first[positions + 1]{};
  Term term[all + 1]{};

  /// By counting: the terms of each position are in the order of the other positions.
  static constexpr TermTable made() {
    TermTable table;
    const auto each = [](auto visit) {
      for (int i = 0; i < F.out; ++i)
        for (int t = 0; t < Terms::count(i); ++t) {
          const Term one = Terms::term(i, t);
          visit(static_cast<std::size_t>(Transposed ? one.index : i), Term{Transposed ? i : one.index, one.weight});
        }
    };
    each([&](std::size_t at, Term) { ++table.first[at + 1]; });
    for (std::size_t i = 1; i <= positions; ++i) table.first[i] += table.first[i - 1];
    TermTable next = table;
    each([&](std::size_t at, Term one) { table.term[static_cast<std::size_t>(next.first[at]++)] = one; });
    return table;
  }
};
template <IndexFactor F, bool Transposed>
inline constexpr TermTable<F, Transposed> term_table = TermTable<F, Transposed>::made();
#if defined(__CUDACC__)
template <IndexFactor F, bool Transposed>
__device__ constexpr TermTable<F, Transposed> term_table_of_device = TermTable<F, Transposed>::made();
#endif

/// The terms of a factor of an index map, or of the transposed one, which is derived: computed where that is as simple,
/// else from a table.
template <IndexFactor F, bool Transposed>
struct SideOfFactor {
  using Terms = FactorTerms<F>;
  using Term = typename Terms::Term;
  static constexpr IndexRule rule = F.rule;
  static constexpr bool simple = Terms::rule == IndexRule::shift || Terms::rule == IndexRule::flip || Terms::sums;
  static constexpr bool tabled = Transposed ? !simple : Terms::between;
  static constexpr int axis = Transposed ? F.in_axis : F.out_axis, step = Transposed ? F.in_step : F.out_step,
                       size = Transposed ? F.in : F.out;
  static constexpr int other_axis = Transposed ? F.out_axis : F.in_axis,
                       other_step = Transposed ? F.out_step : F.in_step;
  static constexpr bool single = Transposed ? simple : Terms::most == 1;
  static constexpr bool unit = !Terms::between && Terms::rule != IndexRule::mean;

  SINTER_FN static int count(int i) {
    if constexpr (tabled)
      return table().first[static_cast<std::size_t>(i) + 1] - table().first[static_cast<std::size_t>(i)];
    else if constexpr (Transposed && Terms::rule == IndexRule::shift)
      return i - Terms::begin >= 0 && i - Terms::begin < Terms::out ? 1 : 0;
    else if constexpr (Transposed)
      return 1;
    else
      return Terms::count(i);
  }
  SINTER_FN static Term term(int i, [[maybe_unused]] int t) {
    if constexpr (tabled)
      return table().term[static_cast<std::size_t>(table().first[static_cast<std::size_t>(i)] + t)];
    else if constexpr (Transposed && Terms::rule == IndexRule::shift)
      return {i - Terms::begin};
    else if constexpr (Transposed && Terms::sums)
      return {0, Terms::term(0, i).weight};
    else
      return Terms::term(i, t);
  }

 private:
  SINTER_FN static const TermTable<F, Transposed>& table() {
#if defined(__CUDA_ARCH__)
    return term_table_of_device<F, Transposed>;
#else
    return term_table<F, Transposed>;
#endif
  }
};

SINTER_NAMESPACE_END
