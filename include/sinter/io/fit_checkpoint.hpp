// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/absolute_path.hpp"
#include "sinter/data/file_lock.hpp"
#include "sinter/io/checkpoint.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// False if nothing has that name. A file that cannot be opened exists: reading it reports why.
bool file_exists(const std::string& path);
std::string try_to_write_bytes(const std::string& path, const std::vector<std::byte>& bytes);

/// Why the weights of a network are not to be written; empty if they are finite.
template <class Net>
std::string wrong_numbers_in(const Net& net) {
  const auto& arena = net.to_host();
  return wrong_numbers_in(tensors_on<typename Net::Model>(arena.data()), "the network");
}

/// The state of fit(), as the bytes of a checkpoint.
template <class Trainer, class Kept>
std::vector<std::byte> fit_bytes(const Trainer& trainer, Kept&& kept) {
  const auto all = kept();
  return checkpoint_bytes(trainer, all.numbers(), all.options(), {.allow_nan = true});
}
template <class Trainer, class TakeNumbers>
void resume_fit_from(Trainer& trainer, const std::vector<std::byte>& bytes, const std::string& file, Take take,
                     const FileOptions& options, TakeNumbers&& take_numbers) {
  const TensorFile from = parse_safetensors(bytes, file);
  checked_checkpoint_text(from, file);
  const NamedOptions callback_options = take_numbers(fit_numbers(from, file));
  resume_from(trainer, from, file, take, options, &callback_options);
}
}  // namespace detail

/// A callback of fit() that writes the state of the training: after `every` steps, or, if that is 0, after each epoch;
/// after the last epoch; and when fit is stopped between two steps. If a callback stops it after an epoch, the file is
/// unchanged. With `resume`, the same fit continues from the file, if it exists: network, optimizer, order of the rows,
/// history and the other callbacks of sinter, bit for bit as if it had never ended. It may have more epochs than
/// before.
///
///     fit(net, train, NLLLoss{}, Adam{}, {.epochs = 50}, Checkpoint{.path = "run.checkpoint", .resume = true});
///
/// For an ensemble there is a file for each member: PATH.0, PATH.1, .. On a device that makes many steps without the
/// host, it is written after those. The file is one of save_checkpoint. If it cannot be written (a full disk, weights
/// that are NaN), fit stops: the previous file stays whole, the history says why, and the network has the weights of
/// that step, to be saved elsewhere. A path that another fit is writing to, in this process or another one, is refused:
/// PATH.lock is locked until fit ends. So is a path where no file can be written or replaced, such as a folder or a
/// FIFO, before the first step.
struct Checkpoint {
  AbsolutePath path;       ///< a relative one belongs to the folder that is current when it is given
  long every = 0;          ///< steps from one file to the next; 0: one after each epoch
  bool resume = false;     ///< continue from the file if it exists; else it is overwritten
  Take take = Take::same;  ///< whether to resume with the program's options where they differ from the file's
  bool allow_nan = false;  ///< also write and resume weights that are NaN or infinite, which are refused otherwise

  static constexpr bool on_rank_zero = true;

  // State, kept by fit().
  long steps_then = 0;       ///< when it was last written or read
  std::string problem = {};  ///< why it could not be written

  /// Fails if no file can be written there now. An existing one is left as it is.
  void require_writable() const;
  detail::FileLock hold_during_fit() const;
  void on_begin(const auto&) {
    if (every < 0) fail("Checkpoint was given every = " + std::to_string(every) + "; give it 0 or more");
    steps_then = 0;
  }

  /// The one for a member of an ensemble.
  Checkpoint for_member(std::size_t member) const;

  /// Before the first step: take_numbers(numbers) if there is a file. fit() calls it.
  template <class Trainer, class TakeNumbers>
  bool resume_fit(Trainer& trainer, TakeNumbers&& take_numbers) {
    if (!resume || !detail::file_exists(path)) return false;
    detail::resume_fit_from(trainer, read_file(path, "checkpoint"), path, take, {.allow_nan = allow_nan}, take_numbers);
    steps_then = trainer.steps();
    return true;
  }
  /// Between two steps. kept() makes the numbers that take_numbers gets later. False if the file could not be written.
  template <class Trainer, class Kept>
  bool on_snapshot(const Trainer& trainer, bool epoch_end, bool last, Kept&& kept) {
    const bool due = every > 0 ? trainer.steps() - steps_then >= every : epoch_end;
    if (!due && !last) return true;
    problem = allow_nan ? "" : detail::wrong_numbers_in(trainer.network());
    if (problem.empty()) problem = detail::try_to_write_bytes(path, detail::fit_bytes(trainer, kept));
    if (!problem.empty()) return false;
    steps_then = trainer.steps();
    return true;
  }
  std::string reason() const { return problem; }

 private:
  void require_path() const;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Checkpoint;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/fit_checkpoint.ipp"
#endif
