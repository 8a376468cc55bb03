// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/aligned.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/true_on_all.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// An array as long as a network's arena, or some arenas one after another, of which a rank has the numbers of its own
/// units, such as stages: of unit after unit [arenas][numbers], and then its buffers, where the array has them.
template <class T, class Units>
class DividedArray {
 public:
  DividedArray() = default;
  DividedArray(Communicator* world, std::size_t size)
      : world_(world),
        size_(size),
        own_(std::max<std::size_t>(1, offset(Units::count))) {}  // a network's is never null

  /// Of all ranks together.
  std::size_t size() const { return size_; }
  /// The numbers that this rank has.
  T* data() { return own_.data(); }
  const T* data() const { return own_.data(); }

  /// Takes this rank's numbers from those of all.
  void take(const T* all) {
    for_each_own([&](std::size_t own, std::size_t in_all, std::size_t count) {
      std::copy_n(all + in_all, count, own_.data() + own);
    });
  }
  /// All numbers, on all ranks. All call it.
  AlignedArray<T> gather() const {
    AlignedArray<T> all(size_);
    for_each_own([&](std::size_t own, std::size_t in_all, std::size_t count) {
      std::copy_n(own_.data() + own, count, all.data() + in_all);
    });
    if (ranks() == 1) return all;
    Exchange exchange(*world_);
    for (int u = 0; u < Units::count; ++u)
      if (!Units::on_all(u))
        for_each_piece(u, [&](std::size_t, std::size_t in_all, std::size_t count) {
          exchange.share(Units::owner(u, ranks()), all.data() + in_all, count);
        });
    exchange.run();
    return all;
  }

  /// Of this rank's numbers.
  void scale(T fraction) {
    for (std::size_t i = 0; i < own_.size(); ++i) own_.data()[i] = fraction == T(0) ? T(0) : own_.data()[i] * fraction;
  }
  /// On all ranks. All call it.
  bool all_finite() const { return true_on_all(world_, internal::all_finite(own_.data(), own_.size())); }

  /// How many numbers a rank has before those of a unit, if there are so many arenas, and buffers or not.
  static std::size_t offset(int rank, int ranks, int unit, std::size_t arenas, bool buffers) {
    std::size_t before = 0;
    for (int u = 0; u < unit; ++u)
      if (Units::has(u, rank, ranks)) before += size_of(u, arenas, buffers);
    return before;
  }

 private:
  static constexpr std::size_t arena_size = static_cast<std::size_t>(Units::Ops::arena_size);

  static std::size_t size_of(int unit, std::size_t arenas, bool buffers) {
    const auto& own = Units::arenas[static_cast<std::size_t>(unit)];
    return arenas * static_cast<std::size_t>(own.size) + (buffers ? static_cast<std::size_t>(own.buffers_size) : 0);
  }
  std::size_t arenas() const { return size_ / arena_size; }
  bool has_buffers() const { return size_ % arena_size != 0; }  // they are fewer than an arena has
  int rank() const { return world_ == nullptr ? 0 : world_->rank(); }
  int ranks() const { return world_ == nullptr ? 1 : world_->size(); }
  std::size_t offset(int unit) const { return offset(rank(), ranks(), unit, arenas(), has_buffers()); }
  /// f(in the unit's numbers, in all, count)
  template <class F>
  void for_each_piece(int unit, F&& f) const {
    const auto& of = Units::arenas[static_cast<std::size_t>(unit)];
    const auto number = [](int n) { return static_cast<std::size_t>(n); };
    for (std::size_t a = 0; a < arenas(); ++a)
      Units::for_each_piece(unit, [&](std::size_t own, std::size_t in_all, std::size_t count) {
        f(a * number(of.size) + own, a * arena_size + in_all, count);
      });
    if (has_buffers()) f(arenas() * number(of.size), number(of.buffers_begin), number(of.buffers_size));
  }
  /// The same of all units that this rank has: f(in its numbers, in all, count).
  template <class F>
  void for_each_own(F&& f) const {
    for (int u = 0; u < Units::count; ++u)
      if (Units::has(u, rank(), ranks()))
        for_each_piece(u, [&, before = offset(u)](std::size_t own, std::size_t in_all, std::size_t count) {
          f(before + own, in_all, count);
        });
  }

  Communicator* world_ = nullptr;
  std::size_t size_ = 0;
  AlignedArray<T> own_;
};

}  // namespace detail

SINTER_NAMESPACE_END
