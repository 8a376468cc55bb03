// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/clock.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"
#include "sinter/parallel/each_member.hpp"
#include "sinter/parallel/fit_ensemble.hpp"
#include "sinter/parallel/sweep_options.hpp"
#include "sinter/train/fit.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A callback that keeps a training in memory, to be resumed in the next round, and in a file, unless its path is
/// empty: after the round, and before that once a second after an epoch.
struct KeptCandidate {
  static constexpr bool on_rank_zero = true;

  std::vector<std::byte>& bytes;
  std::string path;
  std::string problem = {};              // why the file could not be written
  double written = monotonic_seconds();  // when it was, in seconds

  FileLock hold_during_fit() const { return path.empty() ? FileLock("") : Checkpoint{.path = path}.hold_during_fit(); }
  void on_begin(const TrainingInfo&) {}
  template <class Trainer, class TakeNumbers>
  bool resume_fit(Trainer& trainer, TakeNumbers&& take_numbers) {
    if (bytes.empty()) return false;
    resume_fit_from(trainer, bytes, path.empty() ? "an earlier round" : path, Take::same, {.allow_nan = true},
                    take_numbers);
    return true;
  }
  template <class Trainer, class Kept>
  bool on_snapshot(const Trainer& trainer, bool /*epoch_end*/, bool last, Kept&& kept) {
    if (!last && (path.empty() || monotonic_seconds() < written + 1)) return true;
    bytes = fit_bytes(trainer, kept);
    if (!path.empty()) problem = try_to_write_bytes(path, bytes);
    written = monotonic_seconds();
    return problem.empty();
  }
  std::string reason() const { return problem; }
};

/// All models with all optimizers: candidate number model * optimizers + optimizer.
template <class Device, class D, class Loss, class Optimizer, class... Models>
class Sweep {
 public:
  Sweep(const Device& device, const D& data, const Loss& loss, const std::vector<Optimizer>& optimizers,
        const SweepOptions& options)
      : device_(device), data_(data), loss_(loss), optimizers_(optimizers), options_(options) {
    if constexpr (requires { device_.settle(); }) device_.settle();
    results_.resize(sizeof...(Models) * optimizers.size());
    for (std::size_t c = 0; c < results_.size(); ++c) {
      results_[c].model = c / optimizers.size();
      results_[c].optimizer = c % optimizers.size();
    }
  }

  std::vector<SweepResult> run() && {
    for (std::size_t c = 0; c < results_.size() && !options_.path.empty(); ++c)
      named(name_of(c), [&] { Checkpoint{.path = path_of_candidate(options_, c)}.require_writable(); });
    std::vector<std::size_t> candidates(results_.size());
    std::iota(candidates.begin(), candidates.end(), std::size_t{0});
    for (const int epochs : epochs_of_rounds(options_)) {
      if (rounds_++ > 0) candidates = best_of(results_, candidates, options_.factor);
      for_each_work(
          device_, candidates.size(), [&](std::size_t i) { train(candidates[i], epochs); },
          [&](ByteArchive& archive, std::size_t i) {
            SweepResult& result = results_[candidates[i]];
            archive(result.rounds);
            archive(result.loss);
            archive(result.history);
            archive(result.checkpoint);
          });
    }
    sort_results(results_);
    return std::move(results_);
  }

 private:
  std::string name_of(std::size_t candidate) const {
    const SweepResult& result = results_[candidate];
    return "candidate " + std::to_string(candidate) + " (model " + std::to_string(result.model) + ", optimizer " +
           std::to_string(result.optimizer) + ")";
  }
  void train(std::size_t candidate, int epochs) {
    SweepResult& result = results_[candidate];
    named(name_of(candidate), [&] {
      std::size_t model = 0;
      ((model++ == result.model ? train<Models>(candidate, epochs) : void()), ...);
    });
    result.rounds = rounds_;
    result.loss = held_out_loss(result.history, epochs);
  }
  template <class Model>
  void train(std::size_t candidate, int epochs) {
    using Net = Network<Model, MemberDevice<Device>>;
    SweepResult& result = results_[candidate];
    KeptCandidate kept{result.checkpoint, path_of_candidate(options_, candidate)};
    if (kept.bytes.empty()) kept.bytes = kept_candidate(kept.path);
    Net net(device_, {.seed = options_.seed, .initialization = options_.initialization});
    FitOptions<D, Net, Loss> own;
    own.batch_size = options_.batch_size;
    own.epochs = epochs;
    own.held_out = options_.held_out;
    own.drop_last = options_.drop_last;
    result.history = fit(net, data_, loss_, optimizers_[result.optimizer], own, kept);
    if (!kept.problem.empty()) fail(kept.problem);
  }

  Device device_;
  const D& data_;
  const Loss& loss_;
  const std::vector<Optimizer>& optimizers_;
  const SweepOptions& options_;
  int rounds_ = 0;
  std::vector<SweepResult> results_;
};

}  // namespace detail

/// Which model and which options? Trains every model with every optimizer, and judges them by held-out rows. As many
/// are trained at a time as the device has threads, or, on Ranks, ranks. With .rounds it is successive halving
/// (Jamieson and Talwalkar, 2016): all candidates are trained for some epochs, the best third, say, continues for three
/// times as many, and so on. Returns all of them, the best first. With a .path, a second call with the same arguments
/// continues where the first one ended, to the same results, bit for bit, on any number of ranks.
///
///     const auto found = sweep<Small, Wide>(Ranks<Host>{world}, data, CrossEntropyLoss{}, rates,
///                                           {.epochs = 27, .rounds = 3, .held_out = k_folds(data.size(), 5)[0]});
///     found[0].model, found[0].optimizer, found[0].loss
template <class... Models, class Device, Dataset D, class Loss, class Optimizer,
          class Distinct = TypeList<detail::ModelOf<Models>...>>
std::vector<SweepResult> sweep(const Device& device, const D& data, const Loss& loss,
                               const std::vector<Optimizer>& optimizers, const SweepOptions& options) {
  static_assert(sizeof...(Models) > 0, "sinter: sweep is given its models by name: sweep<Small, Wide>(Host{}, ..)");
  if constexpr (sizeof...(Models) > 0 && detail::check_member_optimizer<Optimizer>() &&
                detail::check_member_rows<D>()) {
    detail::check_sweep(data.size(), optimizers.size(), options);
    for (std::size_t o = 0; o < optimizers.size(); ++o)
      detail::named("optimizer " + std::to_string(o), [&] { optimizers[o].check(); });
    return detail::Sweep<Device, D, Loss, Optimizer, detail::ModelOf<Models>...>(device, data, loss, optimizers,
                                                                                 options)
        .run();
  } else {
    return {};
  }
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::sweep;
}  // namespace sinter
