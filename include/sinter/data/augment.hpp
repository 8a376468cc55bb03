// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/changes_by_epoch.hpp"
#include "sinter/data/image_transforms.hpp"

SINTER_NAMESPACE_BEGIN

/// Options of augment().
struct AugmentOptions {
  std::uint64_t seed = 1;
  double fill = 0;  ///< value of pixels from outside the picture, before Normalize: 0 to 255 for bytes
};

namespace detail {
/// Checks options for pictures of such numbers.
template <class Number, class... Transforms>
void check_augmentation(const AugmentOptions& options, const Transforms&... transforms) {
  (transforms.check(), ...);
  using Limits = std::numeric_limits<Number>;
  if (needs_scale<Number> && !(options.fill >= double{Limits::lowest()} && options.fill <= double{Limits::max()}))
    fail("augment was given fill = " + exact_text(options.fill) + " for pictures of " +
         (sizeof(Number) == 1 ? "bytes" : "integers of 16 bits") + "; give it " + std::to_string(Limits::lowest()) +
         " to " + std::to_string(Limits::max()));
}
}  // namespace detail

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
      : View(view), options_(options), transforms_(transforms...) {
    detail::check_augmentation<Number>(options, transforms...);
  }

  /// Row i of epoch e is a function of the row, i, e and the seed: the same for every device and number of threads.
  Epoch epoch(std::uint32_t number) const {
    Epoch rows(*this);
    for (std::size_t row = 0; row < this->size(); ++row) change(row, number, rows.row(row));
    return rows;
  }
  /// Only these rows: the inputs of others are unspecified.
  Epoch epoch(std::uint32_t number, std::span<const std::uint32_t> wanted) const {
    Epoch rows(*this);
    for (const std::uint32_t row : wanted) change(row, number, rows.row(row));
    return rows;
  }

 private:
  void change(std::size_t row, std::uint32_t epoch, Number* to) const {
    int x[Row::dims.width], y[Row::dims.height];
    detail::number(x);
    detail::number(y);
    apply(static_cast<std::uint32_t>(row), epoch, {x, y}, std::index_sequence_for<Transforms...>());
    copy(this->inputs(), row, x, y, to);
  }
  template <std::size_t... Index>
  void apply(std::uint32_t row, std::uint32_t epoch, const ImagePlaces& places, std::index_sequence<Index...>) const {
    (std::get<Index>(transforms_)(detail::random_of_row(row, epoch, static_cast<int>(Index), options_.seed), places),
     ...);
  }
  template <class Inputs>
  void copy(const Inputs& from, std::size_t row, const int* x, const int* y, Number* to) const {
    const Number fill = static_cast<Number>(options_.fill);
    for (int c = 0; c < Row::dims.channels; ++c)
      for (int i = 0; i < Row::dims.height; ++i) {
        const Number* line = from.row(row) + c * from.channel_stride + (y[i] < 0 ? 0 : y[i]) * from.height_stride;
        for (int j = 0; j < Row::dims.width; ++j) *to++ = y[i] < 0 || x[j] < 0 ? fill : line[x[j] * from.width_stride];
      }
  }

  AugmentOptions options_;
  std::tuple<Transforms...> transforms_;
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
using internal::AugmentOptions;
}  // namespace sinter
