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
/// stages: of stage after stage [arenas][numbers], and then its buffers, where the array has them.
template <class T, class Stages>
class PipelineArray {
 public:
  PipelineArray() = default;
  PipelineArray(Communicator* world, std::size_t size)
      : world_(world), size_(size), own_(std::max<std::size_t>(1, offset(last()))) {}  // a network's is never null

  /// Of all ranks together.
  std::size_t size() const { return size_; }
  /// The numbers that this rank has.
  T* data() { return own_.data(); }
  const T* data() const { return own_.data(); }

  /// Takes this rank's numbers from those of all.
  void take(const T* all) {
    for (int s = first(); s < last(); ++s)
      for_each_piece(s, [&](std::size_t at, std::size_t in_all, std::size_t count) {
        std::copy_n(all + in_all, count, own_.data() + offset(s) + at);
      });
  }
  /// All numbers, on all ranks. All call it.
  AlignedArray<T> gather() const {
    AlignedArray<T> all(size_);
    const int ranks = world_ == nullptr ? 1 : world_->size();
    for (int s = first(); s < last(); ++s)
      for_each_piece(s, [&](std::size_t at, std::size_t in_all, std::size_t count) {
        std::copy_n(own_.data() + offset(s) + at, count, all.data() + in_all);
      });
    if (ranks == 1) return all;
    Exchange exchange(*world_);
    for (int s = 0; s < Stages::count; ++s)
      for_each_piece(s, [&](std::size_t, std::size_t in_all, std::size_t count) {
        exchange.share(Stages::owner(s, ranks), all.data() + in_all, count);
      });
    exchange.run();
    return all;
  }

  /// Of this rank's numbers.
  void scale(T share) {
    for (std::size_t i = 0; i < own_.size(); ++i) own_.data()[i] = share == T(0) ? T(0) : own_.data()[i] * share;
  }
  /// On all ranks. All call it.
  bool all_finite() const { return true_on_all(world_, internal::all_finite(own_.data(), own_.size())); }

  /// How many numbers a rank with the stages from `first` on has before those of `stage`, if there are so many arenas,
  /// and buffers or not.
  static std::size_t offset(int first, int stage, std::size_t arenas, bool buffers) {
    std::size_t before = 0;
    for (int s = first; s < stage; ++s) before += size_of(s, arenas, buffers);
    return before;
  }

 private:
  static constexpr std::size_t arena_size = static_cast<std::size_t>(Stages::Ops::arena_size);

  static std::size_t size_of(int stage, std::size_t arenas, bool buffers) {
    const auto& own = Stages::arenas[static_cast<std::size_t>(stage)];
    return arenas * static_cast<std::size_t>(own.size) + (buffers ? static_cast<std::size_t>(own.buffers_size) : 0);
  }
  std::size_t arenas() const { return size_ / arena_size; }
  bool has_buffers() const { return size_ % arena_size != 0; }  // they are fewer than an arena has
  int first() const { return world_ == nullptr ? 0 : Stages::first_of(world_->rank(), world_->size()); }
  int last() const { return world_ == nullptr ? Stages::count : Stages::first_of(world_->rank() + 1, world_->size()); }
  std::size_t offset(int stage) const { return offset(first(), stage, arenas(), has_buffers()); }
  /// f(in the stage's numbers, in all, count)
  template <class F>
  void for_each_piece(int stage, F&& f) const {
    const auto& of = Stages::arenas[static_cast<std::size_t>(stage)];
    const auto number = [](int n) { return static_cast<std::size_t>(n); };
    for (std::size_t a = 0; a < arenas(); ++a)
      f(a * number(of.size), a * arena_size + number(of.begin), number(of.size));
    if (has_buffers()) f(arenas() * number(of.size), number(of.buffers_begin), number(of.buffers_size));
  }

  Communicator* world_ = nullptr;
  std::size_t size_ = 0;
  AlignedArray<T> own_;
};

}  // namespace detail

SINTER_NAMESPACE_END
