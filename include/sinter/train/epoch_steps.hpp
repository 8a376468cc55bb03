// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/clock.hpp"
#include "sinter/core/error.hpp"
#include "sinter/data/changes_by_epoch.hpp"
#include "sinter/data/records.hpp"
#include "sinter/data/row_range.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/kernels/write_order.hpp"
#include "sinter/train/fit_options.hpp"
#include "sinter/train/trainer.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The rows of an epoch: the dataset, or what it makes for the epoch.
template <Dataset D>
class EpochRows {
 public:
  explicit EpochRows(const D& data) : data_(data) {}
  const D& operator*() const { return data_; }

 private:
  const D& data_;
};
template <ChangesByEpoch D>
class EpochRows<D> {
  using Rows = decltype(std::declval<const D&>().epoch(0u));

 public:
  explicit EpochRows(const D& data) : data_(data) {}
  /// `wanted...`: of all rows, or of a span of them.
  template <class... Wanted>
  void make(std::uint32_t epoch, Wanted... wanted) {
    rows_.reset();  // first, so that there is one copy at a time
    rows_.emplace(data_.epoch(epoch, wanted...));
    if (rows_->size() != data_.size())
      fail("a dataset of " + std::to_string(data_.size()) + " rows made " + std::to_string(rows_->size()) +
           " for epoch " + std::to_string(epoch) + "; make as many for each");
  }
  const Rows& operator*() const { return *rows_; }

 private:
  const D& data_;
  std::optional<Rows> rows_;
};

/// The steps of epochs in the order of their rows, as many at a time as the engine makes in a call; batch by batch
/// where it does not make them itself. With `ahead` nothing interrupts between the epochs, and steps may continue into
/// the next ones.
template <class Trainer, TrainingData D>
class EpochSteps {
  static constexpr bool by_engine = Trainer::template by_engine<D>;
  static constexpr bool changes = ChangesByEpoch<D>;
  static constexpr bool makes_rows =
      requires(const D& data, std::span<const std::uint32_t> rows) { data.epoch(std::uint32_t{}, rows); };
  using Rows = std::remove_cvref_t<decltype(*std::declval<const EpochRows<D>&>())>;

 public:
  template <class Loss, class Options>
  EpochSteps(Trainer& trainer, const D& data, const Loss&, const Options& options, bool ahead)
      : trainer_(trainer),
        data_(data),
        held_out_(options.held_out),
        size_(data.size() - held_out_.count),
        batch_size_(std::min(options.batch_size, size_)),
        end_(rows_of_epoch(size_, options)),
        shuffle_(options.shuffle),
        chunks_(options.chunks),
        ahead_(ahead && end_ == size_) {
    if constexpr (!changes) kept_.emplace(keep(trainer, data));
  }

  /// `left` counts this epoch and the later ones.
  void begin(std::uint32_t epoch, int left) {
    epoch_ = epoch;
    epochs_left_ = static_cast<std::size_t>(left);
    seconds_ = 0;
    if constexpr (!by_engine) follow(epoch);
    if constexpr (changes) {
      make_rows(epoch);
      kept_.reset();
      kept_.emplace(keep(trainer_, *data_));
    }
  }

  /// Whether all steps that `next` has reported were sound; else the trainer has a problem().
  bool sound() const { return made() > used_ || trainer_.problem().empty(); }
  /// The time that the steps of this epoch took.
  double seconds() const { return seconds_; }

  /// The sums of the losses over the rows of the next batches, the first of which starts at row `first`: of one, or of
  /// as many as the engine makes in a call. Each has as many as its Trainer's loss_sums.
  std::span<const double> next(std::size_t first, [[maybe_unused]] bool one) {
    const std::size_t left = (end_ - first + batch_size_ - 1) / batch_size_;
    if (used_ == made()) {
      const double begin = monotonic_seconds();
      if constexpr (by_engine) {
        std::size_t wanted = one ? 1 : left;
        if (ahead_) wanted += (epochs_left_ - 1) * ((size_ + batch_size_ - 1) / batch_size_);
        wanted = std::min(wanted, trainer_.most_steps(*kept_, batch_size_));
        const auto sums =
            trainer_.steps_on(*kept_, {.order = order(epoch_), .first = first, .batch = batch_size_, .count = wanted});
        made_.assign(sums.begin(), sums.end());
      } else {
        make_step(first);
      }
      seconds_of_step_ = made_.empty() ? 0 : (monotonic_seconds() - begin) / static_cast<double>(made());
      used_ = 0;
    }
    const std::size_t count = std::min(left, made() - used_);
    seconds_ += seconds_of_step_ * static_cast<double>(count);
    used_ += count;
    return std::span<const double>(made_).subspan((used_ - count) * Trainer::loss_sums, count * Trainer::loss_sums);
  }

 private:
  void follow(std::uint32_t epoch) { write_order(order(epoch), size_, order_); }
  EpochOrder order(std::uint32_t epoch) const {
    return {trainer_.network().seed(), epoch, shuffle_, held_out_, chunks_, batch_size_};
  }
  /// A rank of several makes the rows that it trains on.
  void make_rows(std::uint32_t epoch) {
    if constexpr (makes_rows)
      if (trainer_.rows_to_read(batch_size_) != RowRange{0, batch_size_}) {
        follow(epoch);
        std::vector<std::uint32_t> wanted;
        for (std::size_t first = 0; first < end_; first += batch_size_) {
          const RowRange own = trainer_.rows_to_read(std::min(batch_size_, end_ - first));
          const auto* const batch = order_.data() + first;
          wanted.insert(wanted.end(), batch + own.first, batch + own.last);
        }
        return data_.make(epoch, std::span<const std::uint32_t>(wanted));
      }
    data_.make(epoch);
  }
  std::size_t made() const { return made_.size() / Trainer::loss_sums; }
  /// A step by the Trainer.
  void make_step(std::size_t first) {
    const std::size_t count = std::min(batch_size_, size_ - first);
    const std::uint32_t* const rows = order_.data() + first;
    if (chunks_ > 1 && begins_sequences(order(epoch_), first)) trainer_.reset_state();
    const double loss = static_cast<double>(trainer_.step_on(*data_, {rows}, count, rows, epoch_));
    made_.clear();
    if (!trainer_.problem().empty()) return;
    made_.push_back(loss * static_cast<double>(count));
    for (const double mean : trainer_.losses_of_heads()) made_.push_back(mean * static_cast<double>(count));
  }
  static auto keep(Trainer& trainer, const Rows& data) {
    if constexpr (by_engine)
      return trainer.keep(data);
    else
      return false;
  }
  using Kept = decltype(keep(std::declval<Trainer&>(), std::declval<const Rows&>()));

  Trainer& trainer_;
  EpochRows<D> data_;
  Fold held_out_;
  std::size_t size_, batch_size_, end_;  // rows in an order, of a step; those of the order that are trained on
  bool shuffle_;
  std::size_t chunks_;
  bool ahead_;
  std::optional<Kept> kept_;
  std::uint32_t epoch_ = 0;
  std::size_t epochs_left_ = 1;
  std::vector<std::uint32_t> order_;
  std::vector<double> made_;  // losses of the steps made; `used_` of these were returned
  std::size_t used_ = 0;
  double seconds_of_step_ = 0, seconds_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END
