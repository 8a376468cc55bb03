// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sinter/data/batches.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// What batches() makes.
template <class All>
concept GoesThroughBatches = requires { typename All::Batch; } && requires(All& all) { *all.begin(); };
}  // namespace detail

/// Several batches() side by side, until one of them ends; zip() makes it. `All` is how it holds each: a reference, or
/// a temporary itself.
template <class... All>
class ZippedBatches {
 public:
  struct End {};
  /// Goes from batches to batches: a tuple of one of each.
  class Iterator {
   public:
    explicit Iterator(std::remove_reference_t<All>&... all) : at_(all.begin()...) {}
    auto operator*() const {
      return std::apply([](const auto&... at) { return std::tuple<decltype(*at)...>(*at...); }, at_);
    }
    Iterator& operator++() {
      std::apply([](auto&... at) { (++at, ...); }, at_);
      return *this;
    }
    bool operator==(End) const { return ended(std::index_sequence_for<All...>()); }

   private:
    template <std::size_t... Index>
    bool ended(std::index_sequence<Index...>) const {
      return (... || (std::get<Index>(at_) == typename std::remove_reference_t<All>::End()));
    }
    std::tuple<typename std::remove_reference_t<All>::Iterator...> at_;
  };

  explicit ZippedBatches(All... all) : all_(std::forward<All>(all)...) {}
  Iterator begin() & {
    return std::apply([](auto&... all) { return Iterator(all...); }, all_);
  }
  Iterator begin() && = delete;  // sinter: the batches have a name, auto all = zip(..), or are those of a for loop
  End end() const { return {}; }

 private:
  std::tuple<All...> all_;
};

/// Batches of several datasets side by side, each with options of its own, until one has no more:
///
///     for (const auto& [a, b] : zip(batches(known, {.batch_size = 32}), batches(others, {.batch_size = 96}))) ..
template <class... All>
  requires(sizeof...(All) >= 2 && (... && detail::GoesThroughBatches<std::remove_cvref_t<All>>))
auto zip(All&&... all) {
  constexpr bool can_move = (... && (std::is_lvalue_reference_v<All> || std::is_move_constructible_v<All>));
  static_assert(can_move, "sinter: zip() takes batches of files that have a name: auto all = batches(files, ..)");
  if constexpr (can_move) return ZippedBatches<All...>(std::forward<All>(all)...);
}
/// Batches of two datasets side by side. If they have as many rows, the rows are the same in both: pairs.
///
///     for (const auto& [a, b] : zip(left, right, {.batch_size = 50, .epoch = epoch})) ..
template <class First, class Second>
  requires Dataset<std::remove_cvref_t<First>> && Dataset<std::remove_cvref_t<Second>>
auto zip(First&& first, Second&& second, const BatchesOptions& options = {}) {
  return zip(batches(std::forward<First>(first), options), batches(std::forward<Second>(second), options));
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::zip;
using internal::ZippedBatches;
}  // namespace sinter
