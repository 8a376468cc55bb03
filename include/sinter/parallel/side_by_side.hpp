// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinter/core/clock.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/report/history.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/fit.hpp"
#include "sinter/train/fit_progress.hpp"
#include "sinter/train/problem.hpp"
#include "sinter/train/validation.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Trains many networks in the same launches, on a device that can.
template <class Net>
class SideBySide {
  using Engine = typename Net::Engine;
  using T = typename Net::Scalar;
  using Ops = typename Net::Ops;

 public:
  explicit SideBySide(const typename Net::Device& device)
      : device_(device), engine_(device), launcher_(engine_.side_by_side()) {}

  /// Whether this many networks train faster together than in sequence.
  template <int States>
  bool wanted(std::size_t batch, std::size_t networks) const {
    return launcher_.template side_by_side<States>(batch, networks);
  }

  template <Dataset D, class Loss, class Optimizer, class Options>
  std::vector<History> fit(std::span<Net> nets, const D& train, const Loss& loss,
                           const std::vector<Optimizer>& optimizers, const Options& options) {
    const std::size_t batch = std::min(options.batch_size, train.size());
    const auto kept = engine_.keep(train, true);
    auto state = Engine::zeros(device_, nets.size() * Optimizer::states * static_cast<std::size_t>(Ops::arena_size));
    std::vector<Progress> all(nets.size());
    for (std::size_t m = 0; m < nets.size(); ++m) {
      Progress& p = all[m];
      nets[m].gradient_use().change_weights();
      p.order.seed = nets[m].seed();
      p.order.shuffle = options.shuffle;
      if (!options.held_out.empty()) p.order.held_out = options.held_out[m];
      p.at.epoch = options.first_epoch + 1;
      p.at.head_sums.resize(heads_of_loss<Loss>);
      p.at.history.samples_per_epoch = train.size() - p.order.held_out.count;
      p.of_epoch = (p.at.history.samples_per_epoch + batch - 1) / batch;
      const std::string problem = rate_problem<T>(optimizers[m].lr, 0);
      if (!problem.empty() && options.epochs > 0) p.at.history.stopped = stopped_text(p.at.epoch, problem);
    }
    // Without validation between them, epochs follow one another in a launch.
    const bool validates =
        std::any_of(all.begin(), all.end(), [](const Progress& p) { return p.order.held_out.count > 0; });
    const int step = validates ? 1 : std::max(options.epochs, 1);
    for (int epoch = step; epoch <= options.epochs; epoch += step) {
      const double begin = monotonic_seconds();
      while (train_some(nets, kept, batch, loss, optimizers, all, static_cast<std::size_t>(epoch), state.data())) {
      }
      const double seconds = (monotonic_seconds() - begin) / step;
      for (Progress& p : all)
        for (std::size_t e = static_cast<std::size_t>(epoch - step); e < p.at.history.epochs.size(); ++e)
          p.at.history.epochs[e].seconds = seconds;
      if (validates) validate(nets, kept, loss, all, epoch);
    }
    std::vector<History> histories;
    for (Progress& p : all) histories.push_back(std::move(p.at.history));
    return histories;
  }

  /// Whether this many are evaluated faster by `evaluate` than in sequence.
  bool evaluates(std::size_t networks, std::size_t rows) const {
    return launcher_.evaluates_side_by_side(networks, rows);
  }
  template <Dataset D, class Loss>
  std::vector<Evaluation> evaluate(std::span<const Net> nets, const D& data, const Loss& loss) {
    const auto kept = engine_.keep(data);
    std::vector<EvaluatedRows<T>> evaluated;
    for (const Net& net : nets) evaluated.push_back({net.data(), {0, data.size()}});
    std::vector<Evaluation> all;
    for (const auto& result : launcher_.evaluate(kept, loss, std::span<const EvaluatedRows<T>>(evaluated)))
      all.push_back(mean_of<labels_of_row<Loss>>(result, data.size()));
    return all;
  }

 private:
  /// The progress of a network.
  struct Progress {
    FitProgress at;
    EpochOrder order;                     // but for the number of the epoch
    std::size_t of_epoch = 0, steps = 0;  // in an epoch, and made so far
  };

  /// A launch for the networks that have not completed `epochs`; false if there are none.
  template <class Kept, class Loss, class Optimizer>
  bool train_some(std::span<Net> nets, const Kept& kept, std::size_t batch, const Loss& loss,
                  const std::vector<Optimizer>& optimizers, std::vector<Progress>& all, std::size_t epochs, T* state) {
    std::vector<MemberSteps<T, Optimizer>> members;
    bool some = false;
    for (std::size_t m = 0; m < nets.size(); ++m) {
      const Progress& p = all[m];
      const std::size_t left = p.at.history.stopped.empty() ? epochs * p.of_epoch - p.steps : 0;
      MemberSteps<T, Optimizer> member{nets[m].data(), nets[m].gradient().data(), optimizers[m], p.order};
      member.order.epoch = static_cast<std::uint32_t>(p.at.epoch - 1);
      member.first = p.steps % p.of_epoch;
      member.count =
          std::min({left, launcher_.most_steps,
                    launcher_.most_epochs(nets.size(), p.at.history.samples_per_epoch) * p.of_epoch - member.first});
      member.updates = p.steps;
      some |= member.count > 0;
      members.push_back(member);
    }
    if (!some) return false;
    const auto& made = launcher_.run(kept, batch, loss, std::span<const MemberSteps<T, Optimizer>>(members), state);
    for (std::size_t m = 0; m < nets.size(); ++m) {
      Progress& p = all[m];
      const auto& [losses, applied] = made[m];
      for (std::size_t i = 0; i < applied; ++i) {
        p.at.add(&losses[i * loss_sums<Loss>], batch);
        ++p.steps;
        if (!p.at.epoch_done()) continue;
        p.at.record_epoch(0, rate_of(optimizers[m], static_cast<long>(p.steps) - 1));
        p.at.begin_next_epoch();
      }
      if (applied == members[m].count) continue;
      const auto gradient = Engine::to_host(nets[m].gradient());
      const char* what = is_finite(losses[applied * loss_sums<Loss>]) ? "a gradient" : "the loss";
      p.at.history.stopped =
          stopped_text(p.at.epoch, problem_text<typename Net::Model>(what, static_cast<long>(p.steps), gradient));
    }
    return true;
  }
  /// Evaluates the networks that have completed epoch `number`, each by the rows held out of its training.
  template <class Kept, class Loss>
  void validate(std::span<Net> nets, const Kept& kept, const Loss& loss, std::vector<Progress>& all, int number) {
    std::vector<std::size_t> who;
    std::vector<EvaluatedRows<T>> evaluated;
    for (std::size_t m = 0; m < nets.size(); ++m) {
      const Progress& p = all[m];
      if (p.order.held_out.count == 0 || p.at.history.epochs.size() != static_cast<std::size_t>(number)) continue;
      who.push_back(m);
      evaluated.push_back({nets[m].data(), p.order.held_out});
    }
    if (who.empty()) return;
    const auto results = launcher_.evaluate(kept, loss, std::span<const EvaluatedRows<T>>(evaluated));
    for (std::size_t i = 0; i < who.size(); ++i)
      note_validation(all[who[i]].at.history.epochs.back(),
                      std::array{mean_of<labels_of_row<Loss>>(results[i], evaluated[i].rows.count)});
  }

  typename Net::Device device_;
  Engine engine_;
  typename Engine::SideBySide launcher_;
};

}  // namespace detail

SINTER_NAMESPACE_END
