// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/shuffle.hpp"
#include "sinter/data/augment.hpp"
#include "sinter/data/selected_rows.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset split in two. Each part is a copy of its rows, in their original order.
template <Dataset D>
struct Split {
  SelectedRows<D> train, held_out;
};

namespace detail {
std::vector<std::uint32_t> shuffled(std::size_t rows, std::uint64_t seed);
/// All rows class by class, each class shuffled.
template <Labels L>
std::vector<std::uint32_t> rows_by_class(L labels, std::uint64_t seed) {
  const auto order = shuffled(labels.size(), seed);
  std::vector<std::uint32_t> places(order.size()), rows;
  std::iota(places.begin(), places.end(), 0u);
  std::sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto one = labels[order[a]], other = labels[order[b]];
    return one != other ? one < other : a < b;
  });
  for (const std::uint32_t place : places) rows.push_back(order[place]);
  return rows;
}
SINTER_COLD std::size_t held_out_rows(std::size_t rows, double fraction, const char* who);
/// Which rows of an order by class are held out, `count` in all: of each class its share, rounded down, and one more of
/// the classes with the largest remainders.
template <Labels L>
std::vector<bool> held_out_by_class(L labels, const std::vector<std::uint32_t>& order, double fraction,
                                    std::size_t count) {
  struct Class {
    std::size_t first, held_out;
    double fraction;
  };
  std::vector<Class> classes;
  std::size_t left = count;
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && labels[order[end]] == labels[order[first]]) ++end;
    const double wanted = fraction * static_cast<double>(end - first);
    const auto whole = static_cast<std::size_t>(wanted);
    classes.push_back({first, whole, wanted - static_cast<double>(whole)});
    left -= whole;
  }
  std::sort(classes.begin(), classes.end(), [](const Class& a, const Class& b) {
    return a.fraction != b.fraction ? a.fraction > b.fraction : a.first < b.first;
  });
  std::vector<bool> all(order.size());
  for (const Class& one : classes) {
    std::size_t rows = one.held_out;
    if (left > 0) ++rows, --left;
    for (std::size_t i = 0; i < rows; ++i) all[one.first + i] = true;
  }
  return all;
}
/// Splits an order of rows into those for which `held_out(place)` is true, and the others.
template <Dataset D, class HeldOut>
Split<D> split_by(const D& data, const std::vector<std::uint32_t>& order, HeldOut&& held_out) {
  static_assert(!ChangesByEpoch<D>, "sinter: split a dataset first and augment() the part to train on");
  std::vector<std::uint32_t> parts[2];
  for (std::size_t i = 0; i < order.size(); ++i) parts[held_out(i) ? 1 : 0].push_back(order[i]);
  for (auto& part : parts) std::sort(part.begin(), part.end());
  return {subset(data, parts[0]), subset(data, parts[1])};
}
}  // namespace detail

/// Splits rows at random, by the seed. `held_out` is the fraction to hold out, above 0 and below 1; the number of rows
/// is rounded. Fails if a part would be empty.
///
///     const auto [train, validation] = random_split(data, 0.2, 1);
template <Dataset D>
Split<D> random_split(const D& data, double held_out, std::uint64_t seed) {
  const std::size_t count = detail::held_out_rows(data.size(), held_out, "random_split");
  return detail::split_by(data, detail::shuffled(data.size(), seed), [&](std::size_t i) { return i < count; });
}

/// Like random_split, but holds out that fraction of each class, too, to within one row. For datasets with labels.
template <Dataset D>
  requires has_labels<D>
Split<D> stratified_split(const D& data, double held_out, std::uint64_t seed) {
  const std::size_t rows = data.size(), count = detail::held_out_rows(rows, held_out, "stratified_split");
  const auto order = detail::rows_by_class(data.targets(), seed);
  const auto of_class = detail::held_out_by_class(data.targets(), order, held_out, count);
  return detail::split_by(data, order, [&](std::size_t i) { return of_class[i]; });
}

/// The numbers of all rows in random order, by the seed. k_folds() makes contiguous folds, so shuffle the rows first:
///     const auto shuffled = subset(data, shuffled_rows(data, 1));  // for cross_validate() and .held_out of fit()
template <Dataset D>
std::vector<std::uint32_t> shuffled_rows(const D& data, std::uint64_t seed) {
  return detail::shuffled(data.size(), seed);
}

/// Like shuffled_rows, but each of k folds has its share of each class, to within one row. Fails if k is below 1.
template <Dataset D>
  requires has_labels<D>
std::vector<std::uint32_t> stratified_rows(const D& data, int k, std::uint64_t seed) {
  if (k < 1) fail("stratified_rows was asked for " + std::to_string(k) + " folds; ask for 1 or more");
  const auto order = detail::rows_by_class(data.targets(), seed);
  const std::size_t step = static_cast<std::size_t>(k);
  std::vector<std::uint32_t> dealt;
  dealt.reserve(order.size());
  for (std::size_t fold = 0; fold < std::min(step, order.size()); ++fold)
    for (std::size_t i = fold; i < order.size(); i += step) dealt.push_back(order[i]);
  return dealt;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::random_split;
using internal::shuffled_rows;
using internal::Split;
using internal::stratified_rows;
using internal::stratified_split;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/split.ipp"
#endif
