// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstring>

#include "sinter/report/progress.hpp"
#include "sinter/report/progress_text.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void Progress::on_begin(const TrainingInfo& info) {
  epochs_ = info.epochs;
  samples_ = info.samples;
  if (terminal_.interactive)
    print(info.device + ": " + std::to_string(info.parameters) + " parameters, " + std::to_string(info.samples) +
          " samples, batch " + std::to_string(info.batch_size) + ", " + std::to_string(info.epochs) +
          (info.epochs == 1 ? " epoch, seed " : " epochs, seed ") + std::to_string(info.seed));
  if (!info.note.empty()) print("note: " + info.note);
  start_ = clock_();
}

SINTER_FUNCTION void Progress::on_batch_end(const BatchInfo& info) {
  if (!terminal_.interactive) return;
  const double now = clock_();
  if (drawn_ && now - last_draw_ < 0.1) return;
  const auto line = detail::live_line(info, now - start_, terminal_);
  replace(line.text, line.columns);
  live_columns_ = line.columns;
  last_draw_ = now;
  drawn_ = true;
}

SINTER_FUNCTION void Progress::on_epoch_end(const EpochRecord& record, const History&) {
  print(detail::finished_line(record, epochs_, samples_));
  start_ = clock_();
}

SINTER_FUNCTION void Progress::on_end(const History& history) {
  if (!history.stopped.empty())
    print("stopped: " + history.stopped);
  else if (live_columns_ > 0)
    replace("", 0, "\r");
}

SINTER_FUNCTION bool Progress::write_file_handle(void* file, const std::string& text) {
  std::FILE* const to = static_cast<std::FILE*>(file);
  return std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0;
}

SINTER_FUNCTION void Progress::complain() {
  if (!complained_)
    std::fprintf(stderr, "sinter: the progress of training could not be written: %s\n", std::strerror(errno));
  complained_ = true;
}

SINTER_FUNCTION void Progress::replace(const std::string& text, std::size_t columns, const char* end) {
  std::string line = (live_columns_ > 0 ? "\r" : "") + text;
  if (columns < live_columns_) line.append(live_columns_ - columns, ' ');
  live_columns_ = 0;
  errno = 0;
  if (!write_(stream_, line += end)) complain();
}

SINTER_NAMESPACE_END
