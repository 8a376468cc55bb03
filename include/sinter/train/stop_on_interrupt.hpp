// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>
#include <string>

#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
inline volatile std::sig_atomic_t interrupts = 0;

/// The second Ctrl-C ends the program, as if nobody had asked.
extern "C" inline void sinter_note_interrupt(int number) {
  if (interrupts != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  interrupts = 1;
}
}  // namespace detail

/// A callback of fit() that ends it after the step in which Ctrl-C (SIGINT) is pressed: fit returns its history. SIGINT is
/// handled while fit runs, and behind it as before. Of several at a time in one process all end.
class StopOnInterrupt {
 public:
  StopOnInterrupt() = default;
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
  ~StopOnInterrupt() { restore(); }  // also where fit fails

  /// Whether it was pressed in the last fit.
  bool interrupted() const { return interrupted_; }

  void on_begin(const TrainingInfo&) {
    restore();
    interrupted_ = false;
    detail::interrupts = 0;
    before_ = std::signal(SIGINT, detail::sinter_note_interrupt);
    handles_ = before_ != SIG_ERR;
  }
  bool on_batch_end(const BatchInfo&) {
    interrupted_ = detail::interrupts != 0;
    return !interrupted_;
  }
  void on_end(const History&) {
    interrupted_ = detail::interrupts != 0;
    restore();
  }
  std::string reason() const { return "interrupted by Ctrl-C"; }

 private:
  void restore() {
    if (handles_) std::signal(SIGINT, before_);
    handles_ = false;
  }

  using Handler = void (*)(int);
  Handler before_ = SIG_DFL;
  bool handles_ = false, interrupted_ = false;
};

SINTER_NAMESPACE_END
