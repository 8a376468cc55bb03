// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/data/image_changes.hpp"
#include "sinter/data/records.hpp"

SINTER_NAMESPACE_BEGIN

/// Files whose pictures fit() sees randomly changed in each epoch; augment() makes it. Their own Reader reads the
/// pictures as they are, so evaluate() and predict() use those.
template <Records Files, class... Transforms>
class AugmentedFiles : public Files {
 public:
  using Number = typename Files::Number;

 private:
  using Changes = detail::ImageChanges<Number, typename Files::Row, Transforms...>;

 public:
  /// The files in one epoch.
  class Epoch : public Files {
   public:
    /// As RecordFiles::Reader.
    class Reader {
     public:
      explicit Reader(const Epoch& files) : files_(files), reader_(files) {}
      /// Row `row`, changed, and its label.
      void read(std::size_t row, Number* inputs, typename Files::Target& label) {
        reader_.read(row, picture_.data(), label);
        files_.change_(TensorView<const Number, typename Files::Row>{picture_.data(), 1}, 0, row, files_.number_,
                       inputs);
      }

     private:
      const Epoch& files_;
      typename Files::Reader reader_;
      std::vector<Number> picture_ = std::vector<Number>(static_cast<std::size_t>(Files::Row::size));
    };

   private:
    friend AugmentedFiles;
    Epoch(const Files& files, const Changes& change, std::uint32_t number)
        : Files(files), change_(change), number_(number) {}
    Changes change_;
    std::uint32_t number_;
  };

  AugmentedFiles(const Files& files, const AugmentOptions& options, const Transforms&... transforms)
      : Files(files), change_(options, transforms...) {}

  /// Row i of epoch e is the row that augment() makes of the same pictures in memory.
  Epoch epoch(std::uint32_t number) const { return {*this, change_, number}; }

 private:
  Changes change_;
};

namespace detail {
template <class D>
inline constexpr bool files_by_epoch = requires(const D& files) { files.epoch(std::uint32_t{}); };

/// What is read of files in an epoch.
template <Records D>
auto files_of_epoch(const D& files, [[maybe_unused]] std::uint32_t epoch) {
  if constexpr (files_by_epoch<D>)
    return files.epoch(epoch);
  else
    return files;
}
}  // namespace detail

/// RecordFiles of pictures (or series) to train on, each flipped, shifted or cropped at random as it is read:
///
///     fit(net, augment(pictures, {.seed = 1}, RandomCrop{.padding = 4}, RandomHorizontalFlip{}), ..);
///
/// In a loop of your own:
///
///     const auto files = moved.epoch(e);
///     for (const auto& batch : batches(files, {.batch_size = 128, .epoch = e})) trainer.step(batch);
template <Records Files, class... Transforms>
auto augment(const Files& files, const AugmentOptions& options, const Transforms&... transforms) {
  static_assert(Files::Row::rank > 1,
                "sinter: augment() moves pixels, [C][H][W], or places of a series, [C][L]; rows of features have none");
  static_assert(!detail::files_by_epoch<Files>,
                "sinter: these pictures are augmented already: give all transforms to one call of augment()");
  return AugmentedFiles<Files, Transforms...>(files, options, transforms...);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::augment;
using internal::AugmentedFiles;
}  // namespace sinter
