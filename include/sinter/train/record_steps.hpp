// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sinter/data/augmented_files.hpp"
#include "sinter/data/records.hpp"
#include "sinter/train/check_records.hpp"
#include "sinter/train/epoch_steps.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The steps of epochs on files, which are read ahead: bit for bit those on the same rows in memory.
template <class Net, class Loss, class Optimizer, Records D>
class EpochSteps<Trainer<Net, Loss, Optimizer>, D> {
  using Trainer = internal::Trainer<Net, Loss, Optimizer>;
  using Files = decltype(files_of_epoch(std::declval<const D&>(), std::uint32_t{}));
  using Batch = RecordBatch<Files>;

 public:
  template <class Options>
  EpochSteps(Trainer& trainer, const D& files, const Loss& loss, const Options& options, bool /*ahead*/)
      : trainer_(trainer),
        files_(files),
        loss_(loss),
        options_{.batch_size = options.batch_size,
                 .seed = trainer.network().seed(),
                 .shuffle = options.shuffle,
                 .drop_last = options.drop_last,
                 .held_out = options.held_out} {}

  void begin(std::uint32_t epoch, int /*left*/) {
    epoch_.reset();
    options_.epoch = epoch;
  }
  bool sound() const { return trainer_.problem().empty(); }
  double seconds() const { return 0; }

  /// The sum of the losses over the rows of the next batch, which starts at row `first`.
  std::span<const double> next(std::size_t first, bool /*one*/) {
    options_.first = first;
    const Batch& batch = epoch_ ? epoch_->next() : epoch_.emplace(files_, options_, trainer_).batch();
    check_records<Net>(batch, trainer_.rows_to_read(batch.size()), loss_);
    samples_.assign(batch.rows().begin(), batch.rows().end());
    const double loss = static_cast<double>(trainer_.step_on(batch, {}, batch.size(), samples_.data(), options_.epoch));
    sum_ = loss * static_cast<double>(batch.size());
    return {&sum_, sound() ? std::size_t{1} : 0};
  }

 private:
  class Epoch {
   public:
    Epoch(const D& files, const ReadOptions& options, Trainer& trainer)
        : files_(files_of_epoch(files, options.epoch)), batches_(files_, options, trainer), at_(batches_.begin()) {}
    const Batch& batch() const { return *at_; }
    const Batch& next() { return *++at_; }

   private:
    Files files_;
    BatchesAhead<Files, Trainer> batches_;
    typename BatchesAhead<Files, Trainer>::Iterator at_;
  };

  Trainer& trainer_;
  const D& files_;
  const Loss& loss_;
  ReadOptions options_;
  std::optional<Epoch> epoch_;
  std::vector<std::uint32_t> samples_;  // the keys of the batch's masks
  double sum_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END
