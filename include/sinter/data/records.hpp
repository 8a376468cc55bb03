// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinter/core/tensor.hpp"
#include "sinter/data/dataset_concept.hpp"
#include "sinter/data/fold.hpp"
#include "sinter/data/normalize.hpp"
#include "sinter/data/row_range.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset that stays in its files, larger than memory: RecordFiles. Rows and their labels are read by a Reader.
template <class D>
concept Records =
    requires(const D& data, typename D::Reader& reader, typename D::Number* inputs, typename D::Target& label) {
      typename D::Row;
      { data.size() } -> std::convertible_to<std::size_t>;
      data.normalize();
      reader.read(std::size_t{}, inputs, label);
    };

/// What fit() trains on.
template <class D>
concept TrainingData = Dataset<D> || Records<D>;

/// How batches are read from files: as BatchesOptions, and
struct ReadOptions {
  std::size_t batch_size = 32;
  std::uint64_t seed = 1;
  std::uint32_t epoch = 0;  ///< each has another order
  bool shuffle = true;
  bool drop_last = false;  ///< leave out the last batch where it would be shorter than the others
  std::size_t ahead = 4;   ///< batches read in advance, at most all of the epoch
  std::size_t run = 1;     ///< rows that stay side by side when shuffled: more is quicker on disks that must seek
  Fold held_out{};         ///< rows to leave out
  std::size_t first = 0;   ///< rows of the order to skip, whole batches: to continue within an epoch
};

template <class Files, class Trainer = const detail::ReadsAll>
class BatchesAhead;

/// A batch of records as a dataset, valid until the next one.
template <class Files>
class RecordBatch {
  using Number = typename Files::Number;
  using Label = typename Files::Target;

 public:
  std::size_t size() const { return rows_.size(); }
  TensorView<const Number, typename Files::Row> inputs() const { return {inputs_.data(), size()}; }
  std::span<const Label> targets() const { return {targets_.data(), size()}; }
  Normalize normalize() const { return normalize_; }
  std::span<const std::uint64_t> rows() const { return rows_; }  ///< of the files

 private:
  template <class, class>
  friend class BatchesAhead;
  std::vector<std::uint64_t> rows_;
  std::vector<Number> inputs_;
  std::vector<Label> targets_;
  Normalize normalize_;
};

namespace detail {
template <class D>
struct RowsGiven {
  using Type = D;
};
template <Records D>
struct RowsGiven<D> {
  using Type = RecordBatch<D>;
};
/// The dataset that a network is given: the training data, or, for files, a batch.
template <class D>
using rows_given = typename RowsGiven<D>::Type;
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::ReadOptions;
}  // namespace sinter
