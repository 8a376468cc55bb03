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
/// as of History, or, to a path that ends in .jsonl, a JSON object in each line. It begins anew with each fit; one that
/// goes on from a checkpoint has the epochs before in it, too. Where a line cannot be written (a full disk), fit stops
/// and says so. A path that another fit is writing to is refused.
struct TrainingLog {
  AbsolutePath path;

  // Its state.
  GrowingFile file = {};
  std::size_t written = 0;  ///< epochs

  /// Closes the file also where fit fails.
  auto hold_during_fit() { return GrowingFile::CloseAtEnd(&file); }
  void on_begin(const TrainingInfo& info) {
    if (!as_json() && !std::string_view(path).ends_with(".csv"))
      fail("TrainingLog was given the path \"" + path + "\"; give it one that ends in .csv or .jsonl");
    file.open(path);
    written = 0;
    if (!as_json() && !file.add(detail::csv_header(info.heads) + "\n")) fail(file.problem());
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
    bool whole = true;
    for (; whole && written < history.epochs.size(); ++written) {
      const EpochRecord& record = history.epochs[written];
      whole = file.add((as_json() ? detail::json_object(record) : detail::csv_row(record)) + "\n");
    }
    return whole;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::TrainingLog;
}  // namespace sinter
