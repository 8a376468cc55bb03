// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/policy.cuh"

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "sinter/data/augment.hpp"
#include "sinter/thrust/check_count.cuh"
#include "sinter/thrust/subset.cuh"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Transforms one after another, as values that a kernel is given.
template <int Index, class... Transforms>
struct ChangesInTurn {
  SINTER_FN void operator()(std::uint32_t, std::uint32_t, std::uint64_t, const ImagePlaces&) const {}
};
template <int Index, class First, class... Rest>
struct ChangesInTurn<Index, First, Rest...> {
  First first;
  ChangesInTurn<Index + 1, Rest...> rest;

  ChangesInTurn(const First& one, const Rest&... others) : first(one), rest{others...} {}
  SINTER_FN void operator()(std::uint32_t row, std::uint32_t epoch, std::uint64_t seed,
                            const ImagePlaces& places) const {
    first(random_of_row(row, epoch, Index, seed), places);
    rest(row, epoch, seed, places);
  }
};

/// Makes the places of a picture's columns and lines in an epoch, [Width + Height].
template <class Row, class... Transforms>
struct PlacesOfRow {
  static constexpr int width = Row::dims.width, height = Row::dims.height;
  ChangesInTurn<0, Transforms...> changes;
  std::uint32_t epoch;
  std::uint64_t seed;
  int* places;

  SINTER_FN void operator()(std::uint32_t row) const {
    int* const of_row = places + static_cast<std::size_t>(row) * (width + height);
    const ImagePlaces picture{{of_row, width}, {of_row + width, height}};
    number(picture.x);
    number(picture.y);
    changes(row, epoch, seed, picture);
  }
};
/// Number i of the changed pictures.
template <class Number, class Row>
struct ChangedNumber {
  static constexpr std::size_t width = Row::dims.width, height = Row::dims.height, size = Row::size;
  const Number* from;
  const int* places;
  Number fill;

  SINTER_FN Number operator()(std::size_t i) const {
    const std::size_t row = i / size, in_row = i % size;
    const int* const of_row = places + row * (width + height);
    const int x = of_row[in_row % width], y = of_row[width + in_row / width % height];
    const std::size_t channel = row * size + in_row / (width * height) * (width * height);
    return x < 0 || y < 0 ? fill : from[channel + static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
  }
};

}  // namespace detail

/// A view of a dataset in the memory of a GPU that fit() sees randomly changed in each epoch; augment() makes it.
template <DeviceDataset View, class... Transforms>
class AugmentedOnDevice : public View {
  using Inputs = inputs_of<View>;
  using Row = typename Inputs::Shape;
  using Number = std::remove_const_t<typename Inputs::Value>;

 public:
  /// The rows of one epoch: changed inputs of its own, the targets of the dataset.
  class Epoch {
   public:
    std::size_t size() const { return view_.size(); }
    Inputs inputs() const { return {inputs_.data(), size()}; }
    targets_of<View> targets() const { return view_.targets(); }
    Normalize normalize() const { return normalize_of(view_); }

   private:
    friend AugmentedOnDevice;
    Epoch(const View& view, CudaArray<Number> inputs) : view_(view), inputs_(std::move(inputs)) {}
    View view_;
    CudaArray<Number> inputs_;
  };

  AugmentedOnDevice(const View& view, const Cuda& cuda, const AugmentOptions& options, const Transforms&... transforms)
      : View(view), cuda_(cuda), options_(options), changes_{transforms...} {
    detail::check_augmentation<Number>(options, transforms...);
    gpu_kernels::require_contiguous(view.inputs());
  }

  /// Row i of epoch e is that of pictures in the host's memory. Two passes: the places of each picture's columns and
  /// lines, and then its pixels, each read once.
  Epoch epoch(std::uint32_t number) const {
    const CurrentCudaDevice current(cuda_.device);
    const auto policy = detail::thrust_policy(cuda_);
    const std::size_t rows = this->size();
    CudaArray<int> places(cuda_, rows * static_cast<std::size_t>(Row::dims.width + Row::dims.height));
    CudaArray<Number> changed(cuda_, rows * static_cast<std::size_t>(Row::size));
    thrust::for_each_n(policy, thrust::counting_iterator<std::uint32_t>(0), detail::checked_count(rows),
                       detail::PlacesOfRow<Row, Transforms...>{changes_, number, options_.seed, places.data()});
    thrust::tabulate(
        policy, changed.data(), changed.data() + changed.size(),
        detail::ChangedNumber<Number, Row>{this->inputs().data, places.data(), static_cast<Number>(options_.fill)});
    return {*this, std::move(changed)};
  }

 private:
  Cuda cuda_;
  AugmentOptions options_;
  detail::ChangesInTurn<0, Transforms...> changes_;
};

/// Pictures (or series) in the memory of a GPU to train on, each of which is flipped, shifted or cropped at random in
/// each epoch, there, as augment() does with those in the host's memory, and with the same pictures:
///
///     const auto train = augment(pictures, {.seed = 1}, RandomCrop{.padding = 4}, RandomHorizontalFlip{});
///     fit(net, train, ..);
///
/// A view: the dataset must outlive it. An epoch's rows are a copy, and as large as the dataset. Work on the rows must
/// be on the stream of `cuda`, or finished.
template <DeviceDataset D, class... Transforms>
auto augment(const Cuda& cuda, const D& data, const AugmentOptions& options, const Transforms&... transforms) {
  static_assert(inputs_of<D>::Shape::rank > 1,
                "sinter: augment() moves pixels, [C][H][W], or places of a series, [C][L]; rows of features have none");
  static_assert(!HasWeights<D>, "sinter: augment() of pictures in the memory of a GPU takes no weights of rows");
  static_assert(!ChangesByEpoch<D>,
                "sinter: these pictures are augmented already: give all transforms to one call of augment()");
  using View = decltype(subset(data, std::size_t{}, std::size_t{}));
  return AugmentedOnDevice<View, Transforms...>(subset(data, std::size_t{0}, data.size()), cuda, options,
                                                transforms...);
}
/// For a temporary that owns its rows: refused with a message.
template <DeviceDataset D, class... Transforms>
  requires(!std::is_reference_v<D> && !detail::is_view_of_data<D>)
void augment(const Cuda&, D&&, const AugmentOptions&, const Transforms&...) {
  static_assert(std::is_reference_v<D>,
                "sinter: augment() only views its dataset, and a temporary would be gone; give it a name first");
}
template <DeviceDataset D, class... Transforms>
auto augment(const D& data, const AugmentOptions& options, const Transforms&... transforms) {
  return augment(Cuda{}, data, options, transforms...);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::augment;
using internal::AugmentedOnDevice;
}  // namespace sinter
