// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/report/training_log.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void TrainingLog::on_begin(const TrainingInfo& info) {
  if (!as_json() && !std::string_view(path).ends_with(".csv"))
    fail("TrainingLog was given the path \"" + path + "\"; give it one that ends in .csv or .jsonl");
  file.open(path);
  written = 0;
  begun = false;
  header = as_json() ? "" : detail::csv_header(info.heads) + "\n";
}

SINTER_FUNCTION void TrainingLog::on_end(const History& history) {
  write_new(history);  // of a fit that went on and made no epoch
  file.close();
}

SINTER_FUNCTION bool TrainingLog::write_new(const History& history) {
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

SINTER_NAMESPACE_END
