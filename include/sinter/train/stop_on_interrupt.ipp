// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/train/stop_on_interrupt.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void note_interrupt(int number) {
  if (interrupts.exchange(1) == 0) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

SINTER_FUNCTION void InterruptHandler::add() {
  const std::lock_guard lock(mutex);
  if (users++ > 0) return;
  interrupts = 0;
  before = std::signal(SIGINT, note_interrupt);
}

SINTER_FUNCTION void InterruptHandler::remove() {
  const std::lock_guard lock(mutex);
  if (--users == 0 && before != SIG_ERR) std::signal(SIGINT, before);
}

}  // namespace detail

SINTER_FUNCTION void StopOnInterrupt::on_begin(const TrainingInfo&) {
  restore();
  interrupted_ = false;
  detail::interrupt_handler.add();
  handles_ = true;
}

SINTER_FUNCTION bool StopOnInterrupt::on_batch_end(const BatchInfo&) {
  interrupted_ = detail::interrupts != 0;
  return !interrupted_;
}

SINTER_FUNCTION void StopOnInterrupt::on_end(const History&) {
  interrupted_ = detail::interrupts != 0;
  restore();
}

SINTER_FUNCTION void StopOnInterrupt::restore() {
  if (handles_) detail::interrupt_handler.remove();
  handles_ = false;
}

SINTER_NAMESPACE_END
