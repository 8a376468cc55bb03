// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/data/absolute_path.hpp"
#include "sinter/data/fold.hpp"
#include "sinter/network/initialize.hpp"
#include "sinter/report/history.hpp"

SINTER_NAMESPACE_BEGIN

/// How sweep() trains its candidates.
struct SweepOptions {
  std::size_t batch_size = 32;
  int epochs = 1;          ///< of a candidate that completes all rounds
  int rounds = 1;          ///< 1: all are trained to the end
  int factor = 3;          ///< one in `factor` enters the next round, with `factor` times the epochs
  Fold held_out{};         ///< the rows that candidates are judged by, which are not trained on
  std::uint64_t seed = 1;  ///< of all candidates
  Initialization initialization = Initialization::pytorch;
  bool drop_last = false;  ///< leave out the last batch of an epoch where it would be shorter than the others
  AbsolutePath path = {};  ///< of files PATH.0, PATH.1 .., one for each candidate; empty: none
};

/// The result of a candidate.
struct SweepResult {
  std::size_t model = 0, optimizer = 0;  ///< their numbers in the lists
  int rounds = 0;                        ///< that it was trained for
  double loss = 0;  ///< of the rows held out, after the last of these rounds; infinite where it was stopped
  History history;  ///< `stopped` says why
  std::vector<std::byte> checkpoint;  ///< a safetensors file: load(net, result.checkpoint, {.partial = true})
};

namespace detail {
/// The epochs of each round, which has `factor` times those of the one before.
std::vector<int> epochs_of_rounds(const SweepOptions& options);
void check_sweep(std::size_t rows, std::size_t optimizers, const SweepOptions& options);
/// The numbers of those that continue: the best 1 in `factor`. Of equal ones, the first.
std::vector<std::size_t> best_of(const std::vector<SweepResult>& results, const std::vector<std::size_t>& among,
                                 int factor);
/// The best first: by rounds, loss and number.
void sort_results(std::vector<SweepResult>& results);
/// The loss of the rows held out, after epoch number `epochs`.
double held_out_loss(const History& history, int epochs);
/// The file of a candidate; empty if there is none.
std::string path_of_candidate(const SweepOptions& options, std::size_t candidate);
std::vector<std::byte> kept_candidate(const std::string& path);
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::SweepOptions;
using internal::SweepResult;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/parallel/sweep_options.ipp"
#endif
