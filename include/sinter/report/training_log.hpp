// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"
#include "sinter/data/absolute_path.hpp"
#include "sinter/data/growing_file.hpp"
#include "sinter/report/history.hpp"
#include "sinter/report/training_info.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback of fit() that writes a line for each epoch as soon as it ends, so that a training can be watched: CSV as
/// History writes it, or, if the path ends in .jsonl, a JSON object in each line. Its first line replaces the old
/// content of the file; a fit that continues from a checkpoint writes the earlier epochs, too. If a line cannot be
/// written (a full disk), fit stops and says so. A path that another fit is writing to is refused.
struct TrainingLog {
  AbsolutePath path;

  static constexpr bool on_rank_zero = true;

  // Its state.
  GrowingFile file = {};
  std::size_t written = 0;  ///< epochs
  std::string header = {};  ///< to be written before them
  bool begun = false;

  /// Closes the file even if fit fails.
  auto hold_during_fit() { return GrowingFile::CloseAtEnd(&file); }
  void on_begin(const TrainingInfo& info);
  bool on_epoch_end(const EpochRecord&, const History& history) { return write_new(history); }
  void on_end(const History& history);
  std::string reason() const { return file.problem(); }

 private:
  bool as_json() const { return std::string_view(path).ends_with(".jsonl"); }
  bool write_new(const History& history);
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::TrainingLog;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/report/training_log.ipp"
#endif
