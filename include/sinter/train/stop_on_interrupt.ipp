// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/train/stop_on_interrupt.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void note_interrupt(int number) {
  int none = 0;
  if (interrupt.compare_exchange_strong(none, number)) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

SINTER_FUNCTION std::string text_of_interrupt(int number) {
  return number == SIGINT ? "interrupted by Ctrl-C" : number == SIGTERM ? "ended by SIGTERM" : "ended by SIGUSR1";
}

SINTER_FUNCTION void InterruptHandler::add() {
  const std::lock_guard lock(mutex);
  if (users++ > 0) return;
  interrupt = 0;
  for (std::size_t i = 0; i < std::size(handled_signals); ++i) {
    before[i] = std::signal(handled_signals[i], note_interrupt);
    const bool own = before[i] != SIG_DFL && before[i] != SIG_ERR;
    if (own && handled_signals[i] != SIGINT) std::signal(handled_signals[i], before[i]);
  }
}

SINTER_FUNCTION void InterruptHandler::remove() {
  const std::lock_guard lock(mutex);
  if (--users > 0) return;
  for (std::size_t i = 0; i < std::size(handled_signals); ++i)
    if (before[i] != SIG_ERR) std::signal(handled_signals[i], before[i]);
}

}  // namespace detail

SINTER_FUNCTION void StopOnInterrupt::on_begin(const TrainingInfo&) {
  restore();
  signal_ = 0;
  detail::interrupt_handler.add();
  handles_ = true;
}

SINTER_FUNCTION bool StopOnInterrupt::on_batch_end(const BatchInfo&) {
  signal_ = detail::interrupt;
  return signal_ == 0;
}

SINTER_FUNCTION void StopOnInterrupt::on_end(const History&) {
  signal_ = detail::interrupt;
  restore();
}

SINTER_FUNCTION void StopOnInterrupt::restore() {
  if (handles_) detail::interrupt_handler.remove();
  handles_ = false;
}

SINTER_NAMESPACE_END
