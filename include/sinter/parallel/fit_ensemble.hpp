// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/parallel/ensemble.hpp"
#include "sinter/parallel/side_by_side.hpp"
#include "sinter/train/fit.hpp"

SINTER_NAMESPACE_BEGIN

struct EnsembleFitOptions {
  std::size_t batch_size = 32;
  int epochs = 1;
  std::vector<Fold>
      held_out{};       ///< for each member, what it is not trained on but validated by after each epoch; or none
  bool shuffle = true;  ///< a new order each epoch, keyed by the member's seed and the epoch
  int first_epoch = 0;  ///< of the order and the masks: to go on where an earlier call stopped
};

namespace detail {

/// work(member) for each; on the host on all threads of its device.
template <class Nets, class Work>
void for_each_member(Nets& nets, Work&& work) {
  const int size = static_cast<int>(nets.size());
  if constexpr (requires { nets.device().pool; }) {
    nets.device().pool.run(size, [&](int, int m) { work(static_cast<std::size_t>(m)); });
  } else {
    for (int m = 0; m < size; ++m) work(static_cast<std::size_t>(m));
  }
}

template <class Nets, class Optimizer>
void check_ensemble(const Nets& nets, std::size_t rows, const std::vector<Optimizer>& optimizers,
                    const EnsembleFitOptions& options) {
  const auto check_count = [&](const char* what, std::size_t given) {
    if (given != nets.size())
      fail("fit was given " + std::to_string(given) + " " + what + " for an ensemble of " +
           std::to_string(nets.size()) + " networks; give it one for each");
  };
  check_count("optimizers", optimizers.size());
  if (!options.held_out.empty()) check_count("folds", options.held_out.size());
  check_fit(rows, options.batch_size, options.epochs);
  for (const Optimizer& optimizer : optimizers) optimizer.check();
  for (const Fold& fold : options.held_out) check_held_out(rows, fold);
}

template <class Nets, Dataset D, class Loss, class Optimizer>
std::vector<History> fit_ensemble(Nets& nets, const D& train, const Loss& loss,
                                  const std::vector<Optimizer>& optimizers, const EnsembleFitOptions& options) {
  using Net = typename Nets::Member;
  check_ensemble(nets, train.size(), optimizers, options);
  check_learnable<Net>(train);
  if constexpr (TrainsSideBySide<typename Net::Engine>) {
    SideBySide<Net> launcher(nets.device());
    if (launcher.template wanted<Optimizer::states>(std::min(options.batch_size, train.size()), nets.size()))
      return launcher.fit(std::span(nets.begin(), nets.end()), train, loss, optimizers, options);
  }
  // One after another, or each on a thread.
  const auto rows = slice(train, 0, train.size());
  std::vector<History> histories(nets.size());
  for_each_member(nets, [&](std::size_t m) {
    const Fold fold = options.held_out.empty() ? Fold{} : options.held_out[m];
    const auto judge = slice(train, fold.first, fold.count);
    FitOptions<std::remove_const_t<decltype(rows)>> own;
    own.batch_size = options.batch_size;
    own.epochs = options.epochs;
    own.validation = fold.count > 0 ? &judge : nullptr;
    own.held_out = fold;
    own.shuffle = options.shuffle;
    own.first_epoch = options.first_epoch;
    histories[m] = fit(nets[m], rows, loss, optimizers[m], own);
  });
  return histories;
}

}  // namespace detail

/// Trains each member of an ensemble on a dataset, independently of the others, with an optimizer of its own (or all with
/// the same one), and returns what became of each. A member whose loss or gradient is not finite stops, and the others go
/// on: `histories[m].stopped` says why. On a GPU a launch trains all members for thousands of steps where one fits a
/// block's own memory; where not, members are trained one after another. Fails as `fit` of one network does.
template <class Model, class Device, class Precision, Dataset D, class Loss, class Optimizer>
std::vector<History> fit(Ensemble<Model, Device, Precision>& nets, const D& train, Loss loss,
                         const std::vector<Optimizer>& optimizers, const EnsembleFitOptions& options = {}) {
  using Net = Network<Model, Device, Precision>;
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_loss<Model, Loss>() &&
                check_targets<Net, Loss, targets_of<D>>())
    return detail::fit_ensemble(nets, train, loss, optimizers, options);
  else
    return {};
}
template <class Model, class Device, class Precision, Dataset D, class Loss, class Optimizer>
std::vector<History> fit(Ensemble<Model, Device, Precision>& nets, const D& train, Loss loss,
                         const Optimizer& optimizer, const EnsembleFitOptions& options = {}) {
  return fit(nets, train, loss, std::vector<Optimizer>(nets.size(), optimizer), options);
}

/// The mean loss and the accuracy of each member over a dataset.
template <class Model, class Device, class Precision, Dataset D, class Loss>
std::vector<Evaluation> evaluate(const Ensemble<Model, Device, Precision>& nets, const D& data, const Loss& loss) {
  std::vector<Evaluation> all(nets.size());
  detail::for_each_member(nets, [&](std::size_t m) { all[m] = evaluate(nets[m], data, loss); });
  return all;
}

SINTER_NAMESPACE_END
