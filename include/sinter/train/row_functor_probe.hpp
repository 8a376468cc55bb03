// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "sinter/core/finite.hpp"
#include "sinter/core/of_library.hpp"
#include "sinter/core/text.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/loss/probe.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Calls the functor of a RowActivation with a row between numbers that change, which must not matter.
template <class F>
class RowFunctorProbe {
  using Row = FencedRow<double, 0>;

 public:
  explicit RowFunctorProbe(int size) : x_(size), y_(size), dy_(size), expected_(size) {}

  /// What it does with numbers that are not its row's, or leaves undone: a sentence, or nothing.
  SINTER_COLD std::string fault() {
    fill(x_, between);
    for (Row* row : {&x_, &y_, &dy_}) row->surround(inside);
    std::string found = fault_of("forward", x_, y_, [this](double before) {
      fill(y_, [=](int) { return before; });
      F::forward(static_cast<const double*>(x_.data()), y_.data(), y_.size());
    });
    if (!found.empty()) return found;
    // In place: nothing is left undone.
    return fault_of("backward", y_, dy_, [this](double) {
      fill(dy_, between);
      F::backward(static_cast<const double*>(y_.data()), dy_.data(), dy_.size());
    });
  }

 private:
  static constexpr double inside = 0.625;

  static void fill(Row& row, const auto& number) {
    for (int i = 0; i < row.size(); ++i) row[i] = number(i);
  }
  /// A number between -2 and 2, another one each time.
  static double between(int i) {
    const double at = 0.6180339887498949 * (i + 1);
    return 4 * (at - static_cast<double>(static_cast<long>(at))) - 2;
  }
  static bool same(double a, double b) { return is_finite(a) || is_finite(b) ? a == b : true; }

  /// Of a call(before) that makes `to` of `from`, over numbers `before`.
  template <class Call>
  std::string fault_of(const char* function, Row& from, Row& to, const Call& call) {
    /// The first number that is another than expected, if any.
    const auto changed = [&](double before) {
      call(before);
      for (int i = 0; i < to.size(); ++i)
        if (!same(to[i], expected_[i])) return i;
      return Row::nowhere;
    };
    call(inside);
    for (int i = 0; i < to.size(); ++i) expected_[i] = to[i];
    if (const int at = to.find_outside([](double x) { return x != inside; }); at != Row::nowhere)
      return text(function, "writes", at);
    for (Row* row : {&from, &to})
      for (const double other : {-3.0, std::numeric_limits<double>::quiet_NaN()}) {
        const auto reads = [&] { return changed(inside) != Row::nowhere; };
        row->surround(other);
        const bool some = reads();
        row->surround(inside);
        if (some)
          return text(function, "reads", row->find_outside([&](double& number) {
            number = other;
            const bool this_one = reads();
            number = inside;
            return this_one;
          }));
      }
    if (const int at = changed(-7); at != Row::nowhere) return text(function, "does not set", at);
    return {};
  }
  std::string text(const char* function, const char* does, int at) const {
    return joined({"the ", function, " of ", fn::name_of<F>, " was given a row of ", std::to_string(x_.size()),
                   " numbers and ", does, " number ", std::to_string(at),
                   " (they count from 0); let it read and write numbers 0 to n - 1, all of them"});
  }

  Row x_, y_, dy_, expected_;
};

/// The number of the first op from `first` on that is a function of whole rows.
template <class Ops, int first>
inline constexpr int next_row = [] {
  int i = first;
  while (i < Ops::op_count && Ops::ops[static_cast<std::size_t>(i)].kind != OpKind::row) ++i;
  return i;
}();
/// What the functors of whole rows in a model do so; empty if nothing. Those of the library are tested.
template <class Ops, int Index = next_row<Ops, 0>>
std::string fault_of_row_functors() {
  if constexpr (Index < Ops::op_count) {
    using F = typename Ops::template OpType<Index>::Functor;
    constexpr const Op& op = Ops::ops[static_cast<std::size_t>(Index)];
    if constexpr (!is_of_library<F>)
      if (std::string fault = RowFunctorProbe<F>(op.in.size() / op.groups).fault(); !fault.empty()) return fault;
    return fault_of_row_functors<Ops, next_row<Ops, Index + 1>>();
  }
  return {};
}

}  // namespace detail

SINTER_NAMESPACE_END
