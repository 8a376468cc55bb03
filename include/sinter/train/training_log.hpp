// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "sinter/data/file.hpp"
#include "sinter/data/open_file.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback of fit() that writes a line for each epoch as soon as it is over, for those who look while it runs: CSV as of
/// History, or, to a path that ends in .jsonl, a JSON object in each line. It begins anew with each fit; one that goes on
/// from a checkpoint has the epochs before in it, too. Where a line cannot be written (a full disk), fit stops and says so.
struct TrainingLog {
  std::string path;

  // Where it stands.
  std::unique_ptr<std::FILE, detail::CloseFile> file = nullptr;
  std::size_t written = 0;  ///< epochs

  void on_begin(const TrainingInfo&) {
    if (!as_json() && !std::string_view(path).ends_with(".csv"))
      fail("TrainingLog was given the path \"" + path + "\"; give it one that ends in .csv or .jsonl");
    file.reset(std::fopen(path.c_str(), "wb"));
    if (!file) detail::fail_to_write("open " + path, errno);
    written = 0;
    if (!as_json() && !write(detail::csv_header())) detail::fail_to_write("write " + path, errno);
  }
  bool on_epoch_end(const EpochRecord&, const History& history) { return write_new(history); }
  void on_end(const History& history) {
    write_new(history);  // of a fit that went on and made no epoch
    file.reset();
  }
  std::string reason() const { return path + " could not be written"; }

 private:
  bool as_json() const { return std::string_view(path).ends_with(".jsonl"); }
  bool write_new(const History& history) {
    bool whole = true;
    for (; whole && written < history.epochs.size(); ++written) {
      const EpochRecord& record = history.epochs[written];
      whole = write(as_json() ? detail::json_object(record) : detail::csv_row(record));
    }
    return whole;
  }
  /// A line at once, so that a reader sees no part of one.
  bool write(std::string line) const {
    line += '\n';
    return std::fwrite(line.data(), 1, line.size(), file.get()) == line.size() && std::fflush(file.get()) == 0;
  }
};

SINTER_NAMESPACE_END
