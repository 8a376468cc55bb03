// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>
#include <iterator>
#include <mutex>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The first signal received, or 0: the only thing that the handler touches.
inline std::atomic<int> interrupt{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// The second signal ends the program, as without this callback.
void note_interrupt(int number);
std::string text_of_interrupt(int number);

inline constexpr int handled_signals[] = {
    SIGINT,
    SIGTERM,
#if defined(SIGUSR1)
    SIGUSR1,
#endif
};

/// The handler, while there are fits that want it: the first one installs it, the last one restores the previous
/// handler. SIGTERM and SIGUSR1 are left to a program that handles them.
struct InterruptHandler {
  std::mutex mutex;
  int users = 0;
  void (*before[std::size(handled_signals)])(int) = {};

  void add();
  void remove();
};
inline InterruptHandler interrupt_handler;

}  // namespace detail

/// A callback of fit() that ends it after the step in which Ctrl-C (SIGINT) is pressed, or SIGTERM or SIGUSR1 comes, as
/// batch systems send before they end a job: fit returns its history. The signals are handled while fit runs, and
/// afterwards as before (where fit fails, when this object is destroyed). If several fits run in one process, all end,
/// and so do those of other ranks.
class StopOnInterrupt {
 public:
  StopOnInterrupt() = default;
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
  ~StopOnInterrupt() { restore(); }  // also where fit fails

  /// Whether a signal was received in the last fit.
  bool interrupted() const { return signal_ != 0; }
  /// SIGINT, SIGTERM or SIGUSR1; 0 if there was none.
  int signal() const { return signal_; }

  void on_begin(const TrainingInfo&);
  bool on_batch_end(const BatchInfo&);
  void on_end(const History&);
  std::string reason() const { return detail::text_of_interrupt(signal_); }

 private:
  void restore();

  bool handles_ = false;
  int signal_ = 0;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::StopOnInterrupt;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/stop_on_interrupt.ipp"
#endif
