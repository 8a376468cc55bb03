// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/shuffle.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/copied_rows.hpp"
#include "sinter/data/dataset.hpp"

SINTER_NAMESPACE_BEGIN

/// Which batches batches() goes through.
struct BatchesOptions {
  std::size_t batch_size = 32;
  std::uint64_t seed = 1;
  std::uint32_t epoch = 0;  ///< each has another order
  bool shuffle = true;
  bool drop_last = false;  ///< leave out the last batch where it would be shorter than the others
};

/// An epoch of batches in the order that fit() uses with this seed in this epoch, for a loop of your own:
///
///     for (std::uint32_t epoch = 0; epoch < 10; ++epoch)
///       for (const auto& batch : batches(train, {.batch_size = 50, .epoch = epoch})) trainer.step(batch);
///
/// A batch is a dataset: a copy of its rows, valid until the next one. The last has the remaining rows, or is left out
/// by .drop_last. `Held` is how it holds the dataset: a reference, or a temporary itself.
template <Dataset D, class Held = const D&>
class Batches {
  static_assert(std::is_same_v<typename inputs_of<D>::Space, HostMemory>,
                "sinter: batches() copies rows in the memory of the host, and these are elsewhere");

 public:
  /// A dataset: the rows of one batch.
  class Batch {
   public:
    std::size_t size() const { return rows_.size(); }
    inputs_of<CopiedRows<D>> inputs() const { return copies_.inputs(); }
    targets_of<D> targets() const { return copies_.targets(); }
    Normalize normalize() const { return normalize_; }
    std::span<const std::uint32_t> rows() const { return rows_; }  ///< of the dataset

   private:
    friend Batches;
    std::vector<std::uint32_t> rows_;
    CopiedRows<D> copies_;
    Normalize normalize_;
  };

  struct End {};
  /// Iterates over the batches; each step overwrites the batch that it points to.
  class Iterator {
   public:
    explicit Iterator(Batches& all) : all_(&all) {}
    const Batch& operator*() const { return all_->batch_from(first_); }
    Iterator& operator++() {
      first_ += all_->options_.batch_size;
      return *this;
    }
    bool operator==(End) const { return all_->size_from(first_) == 0; }

   private:
    Batches* all_;
    std::size_t first_ = 0;
  };

  Batches(Held data, const BatchesOptions& options)
      : data_(std::forward<Held>(data)), options_(options), permutation_(data_.size(), options.seed, options.epoch) {
    if (options.batch_size == 0) fail("batches was given batch_size = 0; give it 1 or more");
    check_size(data_);
    static_assert(!HasWeights<D>, "sinter: batches() knows no weights of rows; train by fit, or on subsets");
  }
  Iterator begin() & { return Iterator(*this); }
  Iterator begin() && = delete;  // sinter: the batches have a name, auto all = batches(..), or are those of a for loop
  End end() const { return {}; }

 private:
  /// The rows of the batch that begins with row `first` of the order; 0 after the last one.
  std::size_t size_from(std::size_t first) const {
    const std::size_t left = data_.size() - std::min(first, data_.size());
    return options_.drop_last && left < options_.batch_size ? 0 : std::min(options_.batch_size, left);
  }
  /// That batch: another iterator may have been here since.
  const Batch& batch_from(std::size_t first) {
    if (first != first_) fill(first);
    return batch_;
  }
  void fill(std::size_t first) {
    first_ = first;
    const std::size_t count = size_from(first);
    batch_.rows_.resize(count);
    batch_.copies_.resize(count);
    batch_.normalize_ = normalize_of(data_);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = options_.shuffle ? permutation_(first + i) : first + i;
      batch_.rows_[i] = static_cast<std::uint32_t>(row);
      batch_.copies_.copy(data_, row, i);
    }
  }

  Held data_;
  BatchesOptions options_;
  Permutation permutation_;
  Batch batch_;
  std::size_t first_ = std::numeric_limits<std::size_t>::max();  // of the rows in batch_
};

/// The dataset must outlive the result; a temporary one is moved into it.
template <class D>
  requires Dataset<std::remove_cvref_t<D>>
auto batches(D&& data, const BatchesOptions& options = {}) {
  using Plain = std::remove_cvref_t<D>;
  using Held = std::conditional_t<std::is_lvalue_reference_v<D>, const Plain&, Plain>;
  return Batches<Plain, Held>(std::forward<D>(data), options);
}
template <class D, std::integral Size>
std::vector<D> batches(const D&, Size) = delete;  // sinter: the options have names: batches(data, {.batch_size = 50})

SINTER_NAMESPACE_END

namespace sinter {
using internal::Batches;
using internal::batches;
using internal::BatchesOptions;
}  // namespace sinter
