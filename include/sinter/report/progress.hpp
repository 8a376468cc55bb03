// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "sinter/core/clock.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/report/history.hpp"
#include "sinter/report/terminal.hpp"
#include "sinter/report/training_info.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback that reports the progress of training: one line per epoch, and on a terminal a description of the
/// training and, at most ten times a second, a bar with rate and remaining time.
class Progress {
 public:
  static constexpr bool on_rank_zero = true;

  explicit Progress(std::FILE* file = stdout) : Progress(file, Terminal::of(file)) {}
  Progress(std::FILE* file, Terminal terminal, Clock clock = monotonic_seconds)
      : stream_(file), write_(&write_file_handle), terminal_(terminal), clock_(clock), start_(clock()) {}

  /// A std::ostream, or anything else with write() and flush(). It is not a terminal unless you say so.
  template <class Stream>
    requires requires(Stream& stream, const char* text) { stream.write(text, 1), stream.flush(); }
  explicit Progress(Stream& stream, Terminal terminal = {}, Clock clock = monotonic_seconds)
      : stream_(&stream), write_(&write_stream<Stream>), terminal_(terminal), clock_(clock), start_(clock()) {}

  SINTER_COLD void on_begin(const TrainingInfo& info);
  void on_batch_end(const BatchInfo& info);
  SINTER_COLD void on_epoch_end(const EpochRecord& record, const History&);
  SINTER_COLD void on_end(const History& history);

 private:
  // False where the text did not all arrive.
  static bool write_file_handle(void* file, const std::string& text);
  template <class Stream>
  static bool write_stream(void* stream, const std::string& text) {
    Stream& to = *static_cast<Stream*>(stream);
    to.write(text.data(), static_cast<std::ptrdiff_t>(text.size()));
    to.flush();
    if constexpr (requires { to.fail(); })
      return !to.fail();
    else
      return true;
  }
  SINTER_COLD void complain();

  /// Over the live line, if there is one.
  SINTER_COLD void replace(const std::string& text, std::size_t columns, const char* end = "");
  void print(const std::string& line) { replace(line, line.size(), "\n"); }

  void* stream_;
  bool (*write_)(void*, const std::string&);
  Terminal terminal_;
  Clock clock_;
  double start_ = 0, last_draw_ = 0;
  bool drawn_ = false, complained_ = false;
  std::size_t live_columns_ = 0;
  int epochs_ = 0;
  std::size_t samples_ = 0;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Progress;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/report/progress.ipp"
#endif
