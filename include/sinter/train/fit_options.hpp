// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/data/fold.hpp"
#include "sinter/data/records.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/train/validation.hpp"

SINTER_NAMESPACE_BEGIN

template <TrainingData D, class Net = void, class Loss = void>
struct FitOptions;

namespace detail {
template <class D, class Net, class Loss>
struct ValidationBy {
  using Type = Validation<Net, Loss>;
};

/// The address of a dataset that outlives the options.
template <class D>
class ValidationAt {
  const D* data_ = nullptr;

 public:
  ValidationAt(const D* data = nullptr) : data_(data) {}
  ValidationAt(const D& data) : data_(&data) {}
  ValidationAt(const D&&) = delete;
  operator const D*() const { return data_; }
};
template <class D>
struct ValidationBy<D, void, void> {
  using Type = ValidationAt<D>;
};
}  // namespace detail

/// How fit() trains. Without a network and a loss, validation data are of the type of the training data.
template <TrainingData D, class Net, class Loss>
struct FitOptions {
  std::size_t batch_size = 32;
  int epochs = 1;
  typename detail::ValidationBy<D, Net, Loss>::Type validation = nullptr;  ///< a dataset: evaluated after each epoch
  Fold held_out{};         ///< rows of the dataset that are not trained on, but evaluated where there is no .validation
  bool shuffle = true;     ///< a new order each epoch, keyed by the network's seed and the epoch
  bool drop_last = false;  ///< leave out the last batch of an epoch where it would be shorter than the others
  std::size_t interval = 0;  ///< batches between the loss lines of `history.intervals`; 0: none
  /// Epochs of earlier calls: the order, the masks and the numbers of epochs continue from there. The optimizer does
  /// not: it starts with momentum and moments of zero, so many short calls are not the same as one long one, unless fit
  /// is given a Trainer, which keeps them.
  int first_epoch = 0;
  /// Rows of a sequence, where the dataset has long sequences cut into chunks, one after another, with their targets: a
  /// batch has one chunk of each of its sequences, and recurrent layers begin it with the states that they ended the
  /// last one with, through which no gradient goes (truncated backpropagation through time). Validation data are in as
  /// many chunks. 1: rows have nothing to do with one another.
  std::size_t chunks = 1;

  template <class N, class L>
    requires std::is_void_v<Net>
  operator FitOptions<D, N, L>() const {
    return {batch_size,  epochs, static_cast<const D*>(validation), held_out, shuffle, drop_last, interval,
            first_epoch, chunks};
  }
};

namespace detail {
/// Placeholders for an argument that is missing, or for data if something else was given: the arguments are accepted,
/// so that fit() can say what is wrong with them.
using NoData = DataView<TensorView<const float, Shape<1>>, std::span<const int>>;
struct LossLeftOut {};
struct AnyOptions {
  template <class... Given>
  AnyOptions(const Given&...) {}
};
template <class D, class Net, class Loss>
struct OptionsOfFit {
  using Type = std::conditional_t<IsNetwork<D>, FitOptions<NoData>, AnyOptions>;
};
template <TrainingData D, class Net, class Loss>
struct OptionsOfFit<D, Net, Loss> {
  using Type = FitOptions<D, std::remove_reference_t<Net>, Loss>;
};

/// FitOptions, as the compiler shows them if a field is misspelt.
template <class D, class Net = void, class Loss = void>
using fit_has_batch_size_epochs_validation_held_out_shuffle_drop_last_interval_first_epoch_chunks =
    typename OptionsOfFit<D, Net, Loss>::Type;

SINTER_COLD void check_fit(std::size_t size, std::size_t batch_size, int epochs, int first_epoch);
SINTER_COLD void check_held_out(std::size_t size, const Fold& held_out);
/// How many of the training rows an epoch uses.
template <class Options>
std::size_t rows_of_epoch(std::size_t size, const Options& options) {
  return options.drop_last ? size - size % options.batch_size : size;
}
SINTER_COLD void check_dropped(std::size_t size, std::size_t batch_size, const char* who);
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::FitOptions;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/fit_options.ipp"
#endif
