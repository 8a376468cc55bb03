// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/parallel/fit_ensemble.hpp"

SINTER_NAMESPACE_BEGIN

/// How cross_validate() trains each candidate.
struct CrossValidationOptions {
  int folds = 5;
  std::size_t batch_size = 32;
  int epochs = 1;
  std::uint64_t seed = 1;  ///< of the first fold's network; the next has one more. The same for all candidates.
  Initialization initialization = Initialization::pytorch;
  bool drop_last = false;  ///< leave out the last batch of an epoch where it would be shorter than the others
};

/// A mean over folds, and its standard error: s / sqrt(folds), with s^2 = sum (x - mean)^2 / (folds - 1).
struct MeanOfFolds {
  double mean = 0, error = 0;
};

/// The results of one candidate: the history of each fold, and the means over the held-out rows after the last epoch.
/// If a fold was stopped (`folds[i].stopped` says why), or ended with a loss that is not finite, the loss is infinite.
struct CrossValidated {
  std::vector<History> folds;
  MeanOfFolds loss, accuracy;  ///< accuracy is NaN unless targets are classes
};

namespace detail {
/// `otherwise` if a fold was stopped, or gave a number that is not finite.
MeanOfFolds mean_of(const std::vector<History>& folds, double EpochRecord::* value, double otherwise);
}  // namespace detail

/// k-fold cross-validation of optimizers: for each candidate and each fold a network is trained on the other folds, all
/// of them side by side (see Ensemble), and validated by its own after each epoch. The dataset is sent to a GPU once.
///
///     const std::vector<SGD> candidates = {{.lr = 0.01}, {.lr = 0.1}};
///     const auto results = cross_validate<Mlp>(Cuda{}, data, CrossEntropyLoss{}, candidates, {.epochs = 10});
///     results[1].accuracy.mean;
template <class ModelType, class Precision = Float32, class Device, Dataset D, class Loss, class Optimizer,
          class Model = detail::ModelOf<ModelType>>
std::vector<CrossValidated> cross_validate(const Device& device, const D& data, const Loss& loss,
                                           const std::vector<Optimizer>& candidates,
                                           const CrossValidationOptions& options = {}) {
  if (candidates.empty()) fail("cross_validate was given no candidates; give it at least one optimizer");
  if (options.epochs < 1)
    fail("cross_validate was given epochs = " + std::to_string(options.epochs) + "; give it 1 or more");
  detail::check_fit(data.size(), options.batch_size, options.epochs, 0);
  for (std::size_t c = 0; c < candidates.size(); ++c)
    detail::named("candidate " + std::to_string(c), [&] { candidates[c].check(); });
  const std::vector<Fold> folds = k_folds(data.size(), options.folds);
  std::vector<std::uint64_t> seeds;
  std::vector<Optimizer> optimizers;
  EnsembleFitOptions fit_options{
      .batch_size = options.batch_size, .epochs = options.epochs, .drop_last = options.drop_last};
  for (const Optimizer& candidate : candidates)
    for (std::size_t f = 0; f < folds.size(); ++f) {
      seeds.push_back(options.seed + f);
      optimizers.push_back(candidate);
      fit_options.held_out.push_back(folds[f]);
    }
  Ensemble<ModelType, Device, Precision, Model> nets(device, seeds, options.initialization);
  std::vector<History> histories = fit(nets, data, loss, optimizers, fit_options);

  std::vector<CrossValidated> results(candidates.size());
  auto next = histories.begin();
  for (CrossValidated& result : results) {
    for (std::size_t f = 0; f < folds.size(); ++f) result.folds.push_back(std::move(*next++));
    result.loss = detail::mean_of(result.folds, &EpochRecord::validation_loss, std::numeric_limits<double>::infinity());
    result.accuracy =
        detail::mean_of(result.folds, &EpochRecord::validation_accuracy, std::numeric_limits<double>::quiet_NaN());
  }
  return results;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::cross_validate;
using internal::CrossValidated;
using internal::CrossValidationOptions;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/parallel/cross_validate.ipp"
#endif
