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

#if SINTER_SIGACTION
SINTER_FUNCTION SignalHandler::SignalHandler(int number) : number_(number) {
  if (sigaction(number, nullptr, &before_) != 0) return;
  if (number == SIGINT ? before_.sa_handler == SIG_IGN : before_.sa_handler != SIG_DFL) return;
  struct sigaction ours = {};
  ours.sa_handler = note_interrupt;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  installed_ = sigaction(number, &ours, nullptr) == 0;
}

SINTER_FUNCTION SignalHandler::~SignalHandler() {
  struct sigaction now = {};
  if (installed_ && sigaction(number_, nullptr, &now) == 0 && now.sa_handler == note_interrupt)
    sigaction(number_, &before_, nullptr);
}
#else
SINTER_FUNCTION SignalHandler::SignalHandler(int number)
    : number_(number), before_(std::signal(number, note_interrupt)) {
  const bool own = before_ != SIG_DFL && before_ != SIG_ERR;
  if (own && number != SIGINT) std::signal(number, before_);
}

SINTER_FUNCTION SignalHandler::~SignalHandler() {
  if (before_ != SIG_ERR) std::signal(number_, before_);
}
#endif

SINTER_FUNCTION void InterruptHandler::add() {
  const std::lock_guard lock(mutex);
  if (users++ > 0) return;
  interrupt = 0;
  for (std::size_t i = 0; i < std::size(handled_signals); ++i) handlers[i].emplace(handled_signals[i]);
}

SINTER_FUNCTION void InterruptHandler::remove() {
  const std::lock_guard lock(mutex);
  if (--users > 0) return;
  for (auto& handler : handlers) handler.reset();
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
