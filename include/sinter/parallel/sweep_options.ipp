// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/data/read_file.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/parallel/sweep_options.hpp"
#include "sinter/train/fit_options.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::vector<int> epochs_of_rounds(const SweepOptions& options) {
  std::vector<int> epochs(static_cast<std::size_t>(options.rounds), options.epochs);
  for (std::size_t round = epochs.size() - 1; round-- > 0;)
    epochs[round] = std::max(1, epochs[round + 1] / options.factor);
  return epochs;
}

SINTER_FUNCTION void check_sweep(std::size_t rows, std::size_t optimizers, const SweepOptions& options) {
  const auto given = [](const char* what, int number, const char* least) {
    fail("sweep was given " + std::string(what) + " = " + std::to_string(number) + "; give it " + least + " or more");
  };
  if (optimizers == 0) fail("sweep was given no optimizers; give it at least one");
  if (options.rounds < 1) given("rounds", options.rounds, "1");
  if (options.factor < 2) given("factor", options.factor, "2");
  if (options.epochs < options.rounds)
    fail("sweep was given epochs = " + std::to_string(options.epochs) + " for " + std::to_string(options.rounds) +
         " rounds; give it at least one epoch for each");
  if (options.held_out.count == 0)
    fail("sweep was given no rows to judge by; give it .held_out = k_folds(data.size(), 5)[0], or other rows");
  check_fit(rows, options.batch_size, options.epochs, 0);
  check_held_out(rows, options.held_out);
}

SINTER_FUNCTION std::vector<std::size_t> best_of(const std::vector<SweepResult>& results,
                                                 const std::vector<std::size_t>& among, int factor) {
  std::vector<std::size_t> best = among;
  std::ranges::sort(best, {}, [&](std::size_t i) { return std::pair(results[i].loss, i); });
  best.resize(std::max<std::size_t>(1, best.size() / static_cast<std::size_t>(factor)));
  std::ranges::sort(best);
  return best;
}

SINTER_FUNCTION void sort_results(std::vector<SweepResult>& results) {
  std::ranges::sort(results, {},
                    [](const SweepResult& one) { return std::tuple(-one.rounds, one.loss, one.model, one.optimizer); });
}

SINTER_FUNCTION double held_out_loss(const History& history, int epochs) {
  const std::size_t last = static_cast<std::size_t>(epochs) - 1;
  const bool there = last < history.epochs.size() && is_finite(history.epochs[last].validation_loss);
  return there ? history.epochs[last].validation_loss : std::numeric_limits<double>::infinity();
}

SINTER_FUNCTION std::string path_of_candidate(const SweepOptions& options, std::size_t candidate) {
  return options.path.empty() ? "" : options.path + "." + std::to_string(candidate);
}

SINTER_FUNCTION std::vector<std::byte> kept_candidate(const std::string& path) {
  return path.empty() || !file_exists(path) ? std::vector<std::byte>{} : read_file(path, "checkpoint");
}

}  // namespace detail

SINTER_NAMESPACE_END
