// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/core/shuffle.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/train/trainer.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The steps of an epoch in the order of its rows: one at a time, or, where the device has a memory of its own and keeps
/// the dataset there, many.
template <class Trainer, Dataset D>
class EpochSteps {
  using Engine = typename Trainer::Engine;
  static constexpr bool keeps = keeps_data<Engine>;

 public:
  EpochSteps(Trainer& trainer, const D& data, std::size_t batch_size, bool shuffle)
      : trainer_(trainer), data_(data), batch_size_(batch_size), shuffle_(shuffle), kept_(keep(trainer, data)) {
    if constexpr (!keeps) order_.resize(data.size());
  }

  void begin(std::uint32_t epoch) {
    epoch_ = epoch;
    if constexpr (!keeps) {
      const std::size_t size = data_.size();
      const Permutation permutation(size, trainer_.network().seed(), epoch);
      for (std::size_t i = 0; i < size; ++i) order_[i] = static_cast<std::uint32_t>(shuffle_ ? permutation(i) : i);
    }
  }

  /// The sums of the losses over the rows of the next batches, the first of which starts at row `first`. The trainer
  /// has a problem() where one was not sound; its loss is left out.
  std::span<const double> next(std::size_t first) {
    const std::size_t size = data_.size();
    if constexpr (keeps) {
      const std::size_t left = (size - first + batch_size_ - 1) / batch_size_;
      return trainer_.steps_on(kept_, EpochOrder{trainer_.network().seed(), epoch_, shuffle_}, first, batch_size_,
                               std::min(left, Engine::steps_at_once));
    } else {
      const std::size_t count = std::min(batch_size_, size - first);
      loss_ = static_cast<double>(trainer_.step_on(data_, order_.data() + first, count, epoch_)) *
              static_cast<double>(count);
      return {&loss_, trainer_.problem().empty() ? std::size_t{1} : std::size_t{0}};
    }
  }

 private:
  static auto keep(Trainer& trainer, const D& data) {
    if constexpr (keeps)
      return trainer.keep(data);
    else
      return false;
  }
  using Kept = decltype(keep(std::declval<Trainer&>(), std::declval<const D&>()));

  Trainer& trainer_;
  const D& data_;
  std::size_t batch_size_;
  bool shuffle_;
  [[no_unique_address]] Kept kept_;
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> order_;
  double loss_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END
