// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>
#include <mutex>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether Ctrl-C was pressed: all that the handler touches.
inline std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free);

/// The second Ctrl-C ends the program, as without this callback.
void note_interrupt(int number);

/// The handler while there are fits that want it: the first one installs it, the last one puts back what was there.
struct InterruptHandler {
  std::mutex mutex;
  int users = 0;
  void (*before)(int) = SIG_DFL;

  void add();
  void remove();
};
inline InterruptHandler interrupt_handler;

}  // namespace detail

/// A callback of fit() that ends it after the step in which Ctrl-C (SIGINT) is pressed: fit returns its history. SIGINT
/// is handled while fit runs, and afterwards as before (where fit fails, when this object is destroyed). Of several at
/// a time in one process all end.
class StopOnInterrupt {
 public:
  StopOnInterrupt() = default;
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
  ~StopOnInterrupt() { restore(); }  // also where fit fails

  /// Whether it was pressed in the last fit.
  bool interrupted() const { return interrupted_; }

  void on_begin(const TrainingInfo&);
  bool on_batch_end(const BatchInfo&);
  void on_end(const History&);
  std::string reason() const { return "interrupted by Ctrl-C"; }

 private:
  void restore();

  bool handles_ = false, interrupted_ = false;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::StopOnInterrupt;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/stop_on_interrupt.ipp"
#endif
