// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/train/callbacks.hpp"

/// SINTER_SIGACTION  whether the system has sigaction.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__wasi__) && !defined(__EMSCRIPTEN__)
#include <signal.h>
#define SINTER_SIGACTION 1
#else
#define SINTER_SIGACTION 0
#endif

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

/// note_interrupt() as the handler of a signal. SIGTERM and SIGUSR1 are left to a program that handles them. The
/// destructor restores the program's handler. Where there is sigaction, that includes its flags and its mask, a handler
/// that the program has installed meanwhile stays, and so does a SIGINT that is ignored, as in background jobs.
class SignalHandler {
 public:
  explicit SignalHandler(int number);
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;
  ~SignalHandler();

 private:
  int number_;
#if SINTER_SIGACTION
  struct sigaction before_ = {};
  bool installed_ = false;
#else
  void (*before_)(int) = SIG_ERR;
#endif
};

/// The handlers, while there are fits that want them: the first one installs them, the last one restores the previous
/// ones.
struct InterruptHandler {
  std::mutex mutex;
  int users = 0;
  std::optional<SignalHandler> handlers[std::size(handled_signals)];

  void add();
  void remove();
};
inline InterruptHandler interrupt_handler;

}  // namespace detail

/// A callback of fit() that ends it after the step in which Ctrl-C (SIGINT) is pressed, or SIGTERM or SIGUSR1 comes, as
/// batch systems send before they end a job: fit returns its history. The signals are handled while fit runs, and
/// afterwards as before (where fit fails, when this object is destroyed). A SIGINT that is ignored, as in a background
/// job, stays ignored. If several fits run in one process, all end, and so do those of other ranks.
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
