// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/data/changes_by_epoch.hpp"
#include "sinter/parallel/ensemble.hpp"
#include "sinter/parallel/side_by_side.hpp"
#include "sinter/train/fit.hpp"
#include "sinter/train/fit_options.hpp"

SINTER_NAMESPACE_BEGIN

/// How fit() trains the members of an Ensemble.
struct EnsembleFitOptions {
  std::size_t batch_size = 32;
  int epochs = 1;
  std::vector<Fold>
      held_out{};          ///< for each member, rows to validate with after each epoch instead of training on them
  bool shuffle = true;     ///< a new order each epoch, keyed by the member's seed and the epoch
  bool drop_last = false;  ///< leave out the last batch of an epoch where it would be shorter than the others
  int first_epoch = 0;     ///< of the order and the masks: to continue where an earlier call stopped
};

namespace detail {

/// Calls f; if that fails, the error begins with `who`.
template <class F>
void named([[maybe_unused]] const std::string& who, F&& f) {
#if defined(__cpp_exceptions)
  try {
    f();
  } catch (const Error& error) {
    const std::string text = error.what(), library = "sinter: ";
    fail(who + ": " + (text.rfind(library, 0) == 0 ? text.substr(library.size()) : text));
  }
#else
  f();
#endif
}

template <class Nets>
void check_devices(const Nets& nets) {
  if constexpr (requires { nets.device() == nets.device(); })
    for (std::size_t m = 0; m < nets.size(); ++m)
      if (!(nets[m].device() == nets.device()))
        fail(
            "member " + std::to_string(m) +
            " of an ensemble was given another device or stream than the ensemble has; " +
            "put a network of that model and device into it, or of the host. Networks without a stream take one of the "
            "thread that makes them: make a member on the ensemble's thread, or copy its parameters");
}

template <class Nets, class Optimizer>
void check_ensemble(const Nets& nets, std::size_t rows, const std::vector<Optimizer>& optimizers,
                    const EnsembleFitOptions& options) {
  const auto check_count = [&](const char* what, std::size_t given) {
    if (given != nets.size())
      fail("fit was given " + std::to_string(given) + " " + what + " for an ensemble of " +
           std::to_string(nets.size()) + " networks; give it one for each");
  };
  check_devices(nets);
  check_count("optimizers", optimizers.size());
  if (!options.held_out.empty()) check_count("folds", options.held_out.size());
  check_fit(rows, options.batch_size, options.epochs, options.first_epoch);
  for (std::size_t m = 0; m < nets.size(); ++m)
    named("member " + std::to_string(m), [&] {
      optimizers[m].check();
      const Fold held_out = options.held_out.empty() ? Fold{} : options.held_out[m];
      check_held_out(rows, held_out);
      if (options.drop_last) check_dropped(rows - held_out.count, options.batch_size, "fit");
    });
}

/// Calls f(data) with a dataset whose inputs the device of the networks can read, copied to it once; unchanged, if the
/// host chooses the rows of each step.
template <bool OnDevice = true, class Nets, Dataset D, class F>
decltype(auto) with_inputs_on_device(const Nets& nets, const D& data, F&& f) {
  using Engine = typename Nets::Member::Engine;
  if constexpr (OnDevice && KeepsData<Engine>) {
    const auto kept = Engine(nets.device()).keep(data);
    return f(Engine::kept_inputs(data, kept));
  } else {
    return f(subset(data, 0, data.size()));
  }
}

/// Before a member is trained: a path of a later one may be wrong, too.
template <class Callback>
void check_paths_of_members(std::size_t members, const Callback& callback) {
  if constexpr (requires { callback.for_member(members).require_writable(); })
    for (std::size_t m = 0; m < members; ++m)
      named("member " + std::to_string(m), [&] { callback.for_member(m).require_writable(); });
}

/// In sequence, or each on a thread. Each has a callback of its own.
template <class Nets, Dataset D, class Loss, class Optimizer, class... Callbacks>
std::vector<History> fit_each(Nets& nets, const D& train, const Loss& loss, const std::vector<Optimizer>& optimizers,
                              const EnsembleFitOptions& options, const Callbacks&... callbacks) {
  (check_paths_of_members(nets.size(), callbacks), ...);
  std::vector<History> histories;
  constexpr bool on_device = !divides_by_weights<Loss, D> && !ClipsNorm<Optimizer>;
  with_inputs_on_device<on_device>(nets, train, [&](const auto& rows) {
    histories = for_each_member(nets, [&](std::size_t m) {
      const Fold fold = options.held_out.empty() ? Fold{} : options.held_out[m];
      FitOptions<std::remove_cvref_t<decltype(rows)>, typename Nets::Member, Loss> own;
      own.batch_size = options.batch_size;
      own.epochs = options.epochs;
      own.held_out = fold;
      own.shuffle = options.shuffle;
      own.drop_last = options.drop_last;
      own.first_epoch = options.first_epoch;
      History history;
      const auto train_it = [&] { history = fit(nets[m], rows, loss, optimizers[m], own, callbacks.for_member(m)...); };
      if constexpr (sizeof...(callbacks) == 0)
        train_it();
      else
        named("member " + std::to_string(m), train_it);
      return history;
    });
  });
  return histories;
}

template <class Optimizer>
constexpr bool check_member_optimizer() {
  static_assert(!KeepsAverage<Optimizer>,
                "sinter: members of an ensemble are trained without moving_average(): all would give theirs to one "
                "network; train such networks one by one");
  return !KeepsAverage<Optimizer>;
}

template <Dataset D>
constexpr bool check_member_rows() {
  static_assert(!ChangesByEpoch<D>,
                "sinter: an ensemble trains on the same rows in each epoch, and augment() changes them; train its "
                "networks one by one with fit()");
  return !ChangesByEpoch<D>;
}

template <class Nets, Dataset D, class Loss, class Optimizer, class... Callbacks>
std::vector<History> fit_ensemble(Nets& nets, const D& train, const Loss& loss, std::vector<Optimizer> optimizers,
                                  const EnsembleFitOptions& options, const Callbacks&... callbacks) {
  using Net = typename Nets::Member;
  for (std::size_t m = 0; m < optimizers.size(); ++m) {
    const std::size_t held_out = m < options.held_out.size() ? options.held_out[m].count : 0;
    const std::size_t rows = train.size() > held_out ? train.size() - held_out : 0;
    if (options.batch_size > 0)
      tell_epoch(optimizers[m], rows_of_epoch(rows, options), options.batch_size, options.first_epoch);
  }
  check_ensemble(nets, train.size(), optimizers, options);
  check_learnable<Net>(train, loss);
  if constexpr (KeepsData<typename Net::Engine> && !DealsWork<DeviceOf<Nets>> && !divides_by_weights<Loss, D> &&
                !ClipsNorm<Optimizer> && sizeof...(callbacks) == 0) {
    SideBySide<Net> launcher(nets.device());
    if (!options.drop_last &&
        launcher.template wanted<Optimizer::states>(std::min(options.batch_size, train.size()), nets.size()))
      return launcher.fit(std::span(nets.begin(), nets.end()), train, loss, optimizers, options);
  }
  return fit_each(nets, train, loss, optimizers, options, callbacks...);
}

template <class Nets, Dataset D, class Loss>
std::vector<Evaluation> evaluate_ensemble(const Nets& nets, const D& data, const Loss& loss) {
  using Net = typename Nets::Member;
  check_measurable<Net>(data, "evaluate");
  check_devices(nets);
  check_loss_for<Net>(loss);
  check_targets_for(loss, batch_targets(data), Net::output_size);
  if constexpr (KeepsData<typename Net::Engine> && !DealsWork<DeviceOf<Nets>> && !divides_by_weights<Loss, D>) {
    SideBySide<Net> launcher(nets.device());
    if (launcher.evaluates(nets.size(), data.size()))
      return launcher.evaluate(std::span(nets.begin(), nets.end()), data, loss);
  }
  return with_inputs_on_device(nets, data, [&](const auto& rows) {
    return for_each_member(nets, [&](std::size_t m) { return evaluate_checked(nets[m], rows, loss); });
  });
}

template <class...>
inline constexpr bool takes_callbacks = false;
}  // namespace detail

/// A callback that has one for each member of an ensemble, as Checkpoint has, whose files are PATH.0, PATH.1, ..
template <class C>
concept ForMembers = requires(const C& callback) { callback.for_member(std::size_t{}); };

namespace ensembles {
/// Trains each member of an ensemble on a dataset, independently of the others, with an optimizer of its own (or all
/// with the same one), and returns the history of each. A member whose loss or gradient is not finite stops, and the
/// others continue: `histories[m].stopped` says why. On a GPU a launch trains all members for thousands of steps where
/// one fits a block's shared memory and .drop_last is not asked for; otherwise members are trained in sequence. Fails
/// as `fit` of one network does.
template <class ModelType, class Device, class Precision, class Model, Dataset D, class Loss, class Optimizer>
std::vector<History> fit(Ensemble<ModelType, Device, Precision, Model>& nets, const D& train, Loss loss,
                         const std::vector<Optimizer>& optimizers, const EnsembleFitOptions& options = {}) {
  using Net = typename Ensemble<ModelType, Device, Precision, Model>::Member;
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<Model, Loss>() &&
                check_targets<Net, Loss, targets_of<D>>() && detail::check_member_optimizer<Optimizer>() &&
                detail::check_member_rows<D>())
    return detail::fit_ensemble(nets, train, loss, optimizers, options);
  else
    return {};
}
/// The same optimizer for all members.
template <class ModelType, class Device, class Precision, class Model, Dataset D, class Loss, class Optimizer>
std::vector<History> fit(Ensemble<ModelType, Device, Precision, Model>& nets, const D& train, Loss loss,
                         const Optimizer& optimizer, const EnsembleFitOptions& options = {}) {
  // Checked here, too: through the function above, the compiler's message would be longer.
  static_assert(!KeepsAverage<Optimizer>, "sinter: members of an ensemble are trained without moving_average()");
  static_assert(!ChangesByEpoch<D>,
                "sinter: an ensemble trains on the same rows in each epoch, and augment() changes them");
  if constexpr (!KeepsAverage<Optimizer> && !ChangesByEpoch<D>)
    return fit(nets, train, loss, std::vector<Optimizer>(nets.size(), optimizer), options);
  else
    return {};
}

/// With checkpoints, from which the same call continues bit for bit: each member is then trained by a `fit` of its own,
/// on a GPU in sequence.
template <class ModelType, class Device, class Precision, class Model, Dataset D, class Loss, class Optimizer,
          class Callback>
  requires ForMembers<std::remove_cvref_t<Callback>>
std::vector<History> fit(Ensemble<ModelType, Device, Precision, Model>& nets, const D& train, Loss loss,
                         const std::vector<Optimizer>& optimizers, const EnsembleFitOptions& options,
                         Callback&& callback) {
  using Net = typename Ensemble<ModelType, Device, Precision, Model>::Member;
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<Model, Loss>() &&
                check_targets<Net, Loss, targets_of<D>>() && detail::check_member_optimizer<Optimizer>() &&
                detail::check_member_rows<D>())
    return detail::fit_ensemble(nets, train, loss, optimizers, options, callback);
  else
    return {};
}
/// The same optimizer for all members, with checkpoints.
template <class ModelType, class Device, class Precision, class Model, Dataset D, class Loss, class Optimizer,
          class Callback>
  requires ForMembers<std::remove_cvref_t<Callback>>
std::vector<History> fit(Ensemble<ModelType, Device, Precision, Model>& nets, const D& train, Loss loss,
                         const Optimizer& optimizer, const EnsembleFitOptions& options, Callback&& callback) {
  return fit(nets, train, loss, std::vector<Optimizer>(nets.size(), optimizer), options, callback);
}

/// Other callbacks are refused with a message.
template <class ModelType, class Device, class Precision, class Model, Dataset D, class Loss, class Optimizers,
          class Callback, class... Callbacks>
  requires(sizeof...(Callbacks) > 0 || !ForMembers<std::remove_cvref_t<Callback>>)
std::vector<History> fit(Ensemble<ModelType, Device, Precision, Model>&, const D&, Loss, const Optimizers&,
                         const EnsembleFitOptions&, Callback&&, Callbacks&&...) {
  static_assert(detail::takes_callbacks<Callback, Callbacks...>,
                "sinter: fit of an ensemble takes no callbacks but one Checkpoint; look at the histories it returns");
  return {};
}

}  // namespace ensembles

/// The mean loss and the accuracy of each member over a dataset: of many on a GPU by one launch.
template <class ModelType, class Device, class Precision, class Model, Dataset D, class Loss>
std::vector<Evaluation> evaluate(const Ensemble<ModelType, Device, Precision, Model>& nets, const D& data,
                                 const Loss& loss) {
  using Net = typename Ensemble<ModelType, Device, Precision, Model>::Member;
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<Model, Loss>() &&
                check_targets<Net, Loss, targets_of<D>>())
    return detail::evaluate_ensemble(nets, data, loss);
  else
    return {};
}

/// The outputs of each member for every row of a dataset, [rows][output].
template <class ModelType, class Device, class Precision, class Model, Dataset D>
auto predict(const Ensemble<ModelType, Device, Precision, Model>& nets, const D& data) {
  detail::check_devices(nets);
  return detail::with_inputs_on_device(nets, data, [&](const auto& rows) {
    return detail::for_each_member(nets, [&](std::size_t m) { return predict(nets[m], rows); });
  });
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::EnsembleFitOptions;
using internal::evaluate;
using internal::predict;
}  // namespace sinter
