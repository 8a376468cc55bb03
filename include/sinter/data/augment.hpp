// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "sinter/data/augmented_files.hpp"
#include "sinter/data/changes_by_epoch.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/image_changes.hpp"

SINTER_NAMESPACE_BEGIN

/// A view of a dataset that fit() sees randomly changed in each epoch; augment() makes it. inputs() gives the unchanged
/// rows, so evaluate() and predict() use those.
template <class View, class... Transforms>
class Augmented : public View {
  using Row = typename inputs_of<View>::Shape;
  using Number = std::remove_const_t<typename inputs_of<View>::Value>;

 public:
  /// The rows of one epoch: changed inputs of its own, the targets and weights of the dataset.
  class Epoch {
   public:
    std::size_t size() const { return view_.size(); }
    TensorView<const Number, Row> inputs() const { return {inputs_.get(), size()}; }
    targets_of<View> targets() const { return view_.targets(); }
    Normalize normalize() const { return view_.normalize(); }
    auto weights() const { return view_.weights(); }

   private:
    friend Augmented;
    Epoch(const View& view) : view_(view) {}
    Number* row(std::size_t row) { return inputs_.get() + row * static_cast<std::size_t>(Row::size); }

    View view_;
    std::unique_ptr<Number[]> inputs_ =  // the system provides only pages that are written to
        std::make_unique_for_overwrite<Number[]>(view_.size() * static_cast<std::size_t>(Row::size));
  };

  Augmented(const View& view, const AugmentOptions& options, const Transforms&... transforms)
      : View(view), change_(options, transforms...) {
    check_size(view);
  }

  /// Row i of epoch e is a function of the row, i, e and the seed: the same for every device and number of threads.
  Epoch epoch(std::uint32_t number) const {
    Epoch rows(*this);
    for (std::size_t row = 0; row < this->size(); ++row) change_(this->inputs(), row, row, number, rows.row(row));
    return rows;
  }
  /// Only these rows: the inputs of others are unspecified.
  Epoch epoch(std::uint32_t number, std::span<const std::uint32_t> wanted) const {
    Epoch rows(*this);
    for (const std::uint32_t row : wanted)
      if (row >= this->size())
        fail("row " + std::to_string(row) + " of " + std::to_string(this->size()) +
             " augmented rows was asked for; rows are numbered from 0");
    for (const std::uint32_t row : wanted) change_(this->inputs(), row, row, number, rows.row(row));
    return rows;
  }

 private:
  detail::ImageChanges<Number, Row, Transforms...> change_;
};

/// A dataset of pictures (or series) to train on, each row of which is flipped, shifted or cropped at random in each
/// epoch:
///
///     const auto train = augment(pictures, {.seed = 1}, RandomCrop{.padding = 4}, RandomHorizontalFlip{});
///     fit(net, train, ..);
///
/// A view: the dataset must outlive it. An epoch's rows are a copy, and as large as the dataset; on Ranks each rank
/// makes those that it trains on.
template <Dataset D, class... Transforms>
auto augment(const D& data, const AugmentOptions& options, const Transforms&... transforms) {
  constexpr bool pixels = inputs_of<D>::Shape::rank > 1;
  static_assert(pixels,
                "sinter: augment() moves pixels, [C][H][W], or places of a series, [C][L]; rows of features have none");
  constexpr bool at_hand = std::is_same_v<typename inputs_of<D>::Space, HostMemory>;
  static_assert(at_hand, "sinter: augment() of pictures in the memory of a GPU is in sinter/thrust.cuh: include it");
  static_assert(!ChangesByEpoch<D>,
                "sinter: these pictures are augmented already: give all transforms to one call of augment()");
  using View = decltype(subset(data, 0, 0));
  if constexpr (pixels && at_hand)
    return Augmented<View, Transforms...>(subset(data, 0, data.size()), options, transforms...);
}
/// For a temporary that owns its rows: refused with a message.
template <Dataset D, class... Transforms>
  requires(!std::is_reference_v<D> && !detail::is_view_of_data<D>)
void augment(D&&, const AugmentOptions&, const Transforms&...) {
  static_assert(std::is_reference_v<D>,
                "sinter: augment() only views its dataset, and a temporary would be gone; give it a name first");
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::augment;
using internal::Augmented;
}  // namespace sinter
