// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/data/read_file.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/checkpoint_facts.hpp"
#include "sinter/io/checksum.hpp"
#include "sinter/io/safetensors.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/network/fingerprint.hpp"
#include "sinter/optimizer/check_state.hpp"

SINTER_NAMESPACE_BEGIN

/// With which options a training continues from a checkpoint: those of optimizer, schedule, loss and callbacks.
enum class Take {
  same,    ///< those of both, which must be the same: else it fails, and names the differences
  program  ///< those of the program, including its learning rate if that is not the one that the training began with
};

namespace detail {

inline constexpr std::string_view name_of_fit = "sinter.fit";

/// The parameters of a model, and each part of the optimizer's state, on arenas of the host.
template <class Model, class T>
auto checkpoint_tensors(T* arena, T* state, int states) {
  auto all = tensors_on<Model>(arena);
  for (int k = 0; k < states; ++k)
    for (auto& tensor : tensors_on<Model>(state + k * Program<Model>::arena_size, false)) {
      tensor.name = joined({"optimizer.", static_cast<std::size_t>(k), ".", tensor.name});
      all.push_back(std::move(tensor));
    }
  return all;
}

/// What fit() has stored besides its Trainer. `resume` of a Trainer ignores it.
SINTER_COLD std::vector<double> fit_numbers(const TensorFile& from, std::string_view file);

/// The facts of a checkpoint. Fails on a file that is not a checkpoint, or damaged.
SINTER_COLD std::string checked_checkpoint_text(const TensorFile& from, std::string_view file);
SINTER_COLD CheckpointFacts read_checkpoint(const TensorFile& from, const std::vector<WritableTensor>& to,
                                            std::string_view optimizer, std::uint64_t model, std::uint64_t seed,
                                            std::string_view file);

}  // namespace detail

namespace detail {
/// A checkpoint as a file in memory. The callback Checkpoint adds `fit` and the options of the callbacks.
template <class Trainer>
std::vector<std::byte> checkpoint_bytes(const Trainer& trainer, const std::vector<double>& fit,
                                        const NamedOptions& callback_options, const FileOptions& options) {
  if (trainer.has_gradient())
    fail(
        "a checkpoint was to be written between accumulate() and update(), and would lose the gradient that was "
        "accumulated; call update() or clear() first");
  using Net = std::remove_cvref_t<decltype(trainer.network())>;
  using Optimizer = std::remove_cvref_t<decltype(trainer.optimizer())>;
  const auto snapshot = trainer.snapshot();
  check_state<typename Net::Ops>(trainer.optimizer(), snapshot.state.data());
  const auto& arena = trainer.network().to_host();
  if (!options.allow_nan) refuse_wrong_numbers(tensors_on<typename Net::Model>(arena.data()));
  auto tensors = checkpoint_tensors<typename Net::Model>(arena.data(), snapshot.state.data(), Optimizer::states);
  if (!fit.empty())
    tensors.push_back({std::string(name_of_fit), ElementType::f64, {fit.size()}, std::as_bytes(std::span(fit))});
  Metadata metadata = metadata_of({}, "");
  metadata.emplace_back(
      key_checkpoint,
      checkpoint_text({Optimizer::name, fingerprint_of<typename Net::Model>(), trainer.network().seed(),
                       static_cast<std::uint64_t>(snapshot.steps), static_cast<std::uint64_t>(snapshot.attempts),
                       snapshot.rate, snapshot.factors, trainer.options(), callback_options}));
  return bytes_with_checksum(tensors, metadata);
}
}  // namespace detail

/// Writes the state of a training, whole or not at all: the network, the optimizer's state and its counters. A Trainer
/// of the same kind that resumes from it makes, bit for bit, the steps that this one would have made. The file is a
/// safetensors file, which load(.., {.partial = true}) takes weights from. Fails between accumulate() and update(), at
/// weights that are NaN or infinite, unless options allow them, and at such numbers in the optimizer's state.
template <class Trainer>
void save_checkpoint(const Trainer& trainer, const std::string& path, const FileOptions& options = {}) {
  write_file(path, detail::checkpoint_bytes(trainer, {}, {}, options));
}

namespace detail {
/// Fails if a checkpoint has NaN or infinity in these tensors.
SINTER_COLD void require_finite_in_checkpoint(const std::vector<NamedTensor>& tensors, std::string_view file);
SINTER_COLD void require_same_options(const NamedOptions& then, const NamedOptions& now, std::string_view file);
SINTER_COLD NamedOptions together(NamedOptions all, const NamedOptions& more);
/// The rate that a training began with; empty where it is not known.
SINTER_COLD std::string first_rate_in(const NamedOptions& options);
template <class Trainer>
void resume_from(Trainer& trainer, const TensorFile& from, const std::string& file, Take take = Take::same,
                 const FileOptions& file_options = {}, const NamedOptions* callback_options = nullptr) {
  using Net = std::remove_cvref_t<decltype(trainer.network())>;
  using Optimizer = std::remove_cvref_t<decltype(trainer.optimizer())>;
  using T = typename Net::Scalar;
  auto snapshot = trainer.snapshot();
  AlignedArray<T> arena = trainer.network().to_host();
  const CheckpointFacts facts = read_checkpoint(
      from, checkpoint_tensors<typename Net::Model>(arena.data(), snapshot.state.data(), Optimizer::states),
      Optimizer::name, fingerprint_of<typename Net::Model>(), trainer.network().seed(), file);
  if (!file_options.allow_nan)
    require_finite_in_checkpoint(tensors_on<typename Net::Model>(std::as_const(arena).data()), file);
  const NamedOptions options = trainer.options();
  if (take == Take::same) {
    if (callback_options)
      require_same_options(together(facts.options, facts.callback_options), together(options, *callback_options), file);
    else
      require_same_options(facts.options, options, file);
  }
  snapshot.factors = facts.factors;
  if (take == Take::same || first_rate_in(facts.options) == first_rate_in(options)) snapshot.rate = facts.rate;
  snapshot.steps = static_cast<long>(facts.steps);
  snapshot.attempts = static_cast<long>(facts.attempts);
  trainer.restore(snapshot);
  trainer.network().from_host(arena);
}
}  // namespace detail

/// Restores a Trainer and its network to the state of a checkpoint. Fails, and leaves both unchanged, if the file is
/// damaged, or of another model, seed or optimizer, or of other options of the optimizer and the loss, unless the
/// program's options are to be used, or has weights that are NaN or infinite, unless options allow them, or such
/// numbers in the optimizer's state.
template <class Trainer>
void resume(Trainer& trainer, const std::string& path, Take take = Take::same, const FileOptions& options = {}) {
  const auto bytes = read_file(path, "checkpoint");
  detail::resume_from(trainer, parse_safetensors(bytes, path), path, take, options);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::resume;
using internal::save_checkpoint;
using internal::Take;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/checkpoint.ipp"
#endif
