// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sinter/data/absolute_path.hpp"
#include "sinter/data/growing_file.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback of fit() that writes a line for each epoch as soon as it is over, for those who look while it runs: CSV
/// as of History, or, to a path that ends in .jsonl, a JSON object in each line. Its first line replaces what the file
/// had; a fit that goes on from a checkpoint has the epochs before in it, too. Where a line cannot be written (a full
/// disk), fit stops and says so. A path that another fit is writing to is refused.
struct TrainingLog {
  AbsolutePath path;

  // Its state.
  GrowingFile file = {};
  std::size_t written = 0;  ///< epochs
  std::string header = {};  ///< that is to be written before them
  bool begun = false;

  /// Closes the file also where fit fails.
  auto hold_during_fit() { return GrowingFile::CloseAtEnd(&file); }
  void on_begin(const TrainingInfo& info) {
    if (!as_json() && !std::string_view(path).ends_with(".csv"))
      fail("TrainingLog was given the path \"" + path + "\"; give it one that ends in .csv or .jsonl");
    file.open(path);
    written = 0;
    begun = false;
    header = as_json() ? "" : detail::csv_header(info.heads) + "\n";
  }
  bool on_epoch_end(const EpochRecord&, const History& history) { return write_new(history); }
  void on_end(const History& history) {
    write_new(history);  // of a fit that went on and made no epoch
    file.close();
  }
  std::string reason() const { return file.problem(); }

 private:
  bool as_json() const { return std::string_view(path).ends_with(".jsonl"); }
  bool write_new(const History& history) {
    std::string lines = begun ? "" : header;
    for (std::size_t epoch = written; epoch < history.epochs.size(); ++epoch) {
      const EpochRecord& record = history.epochs[epoch];
      lines += (as_json() ? detail::json_object(record) : detail::csv_row(record)) + "\n";
    }
    if (!file.add(lines)) return false;
    begun = true;
    written = history.epochs.size();
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::TrainingLog;
}  // namespace sinter
