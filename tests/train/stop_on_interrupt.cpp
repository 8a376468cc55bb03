// SPDX-License-Identifier: MIT
#include "sinter/train/stop_on_interrupt.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "sinter/data/disc.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/fit.hpp"

using namespace sinter;

namespace {

struct Model : Sequential<Input<2>, Linear<4>, Tanh, Linear<2>> {};

/// Presses Ctrl-C in the batch of that number, `times` times.
struct Press {
  int batch, times = 1;
  void on_batch_end(const BatchInfo&) {
    if (--batch == 0)
      for (int i = 0; i < times; ++i) raise(SIGINT);
  }
};

int seen = 0;
void note(int) { ++seen; }
void (*handler_now())(int) {
  struct sigaction now{};
  sigaction(SIGINT, nullptr, &now);
  return now.sa_handler;
}

const auto train = disc(40, 1);
template <class... Callbacks>
History run(Callbacks&&... callbacks) {
  Network<Model> net{NetworkOptions{.seed = 1}};
  return fit(net, train, CrossEntropyLoss{}, SGD{}, {.batch_size = 8, .epochs = 3}, callbacks...);
}

}  // namespace

TEST_CASE("Ctrl-C ends fit after the step, and is the program's own afterwards") {
  signal(SIGINT, note);
  StopOnInterrupt stop;
  History history = run(Press{7}, stop);
  CHECK(history.stopped == "interrupted by Ctrl-C (after 16 rows of epoch 2)");
  CHECK(history.epochs.size() == 1);
  CHECK(stop.interrupted());
  CHECK(seen == 0);
  CHECK((handler_now() == note));

  history = run(stop);
  CHECK(history.stopped.empty());
  CHECK(!stop.interrupted());

  // In the last step it is too late to stop, and not forgotten.
  history = run(stop, Press{15});
  CHECK(history.stopped.empty());
  CHECK(stop.interrupted());

  CHECK_THROWS(run(StopOnInterrupt{}, [] {
    struct Fails {
      void on_batch_end(const BatchInfo&) { throw std::runtime_error("by the user"); }
    };
    return Fails{};
  }()));
  CHECK((handler_now() == note));

  history = run(Press{7});
  CHECK(seen == 1);  // no handler unasked
  CHECK(history.epochs.size() == 3);
  signal(SIGINT, SIG_DFL);
}

TEST_CASE("SIGTERM and SIGUSR1 end fit, too, unless the program handles them") {
  for (const int number : {SIGTERM, SIGUSR1}) {
    CAPTURE(number);
    const auto of_doctest = signal(number, SIG_DFL);
    StopOnInterrupt stop;
    const auto press = [&](const BatchInfo& info) {
      if (info.epoch == 2 && info.samples_done == 16) raise(number);
    };
    const std::string text = number == SIGTERM ? "ended by SIGTERM" : "ended by SIGUSR1";
    CHECK(run(press, stop).stopped == text + " (after 16 rows of epoch 2)");
    CHECK(stop.signal() == number);
    struct sigaction now{};
    sigaction(number, nullptr, &now);
    CHECK((now.sa_handler == SIG_DFL));

    seen = 0;
    signal(number, note);
    CHECK(run(press, stop).stopped.empty());
    CHECK(seen == 1);
    CHECK(!stop.interrupted());
    signal(number, of_doctest);
  }
}

TEST_CASE("the flags and the mask of the program's handler are restored") {
  struct sigaction own{}, before{}, now{};
  own.sa_sigaction = [](int, siginfo_t*, void*) { ++seen; };
  own.sa_flags = SA_SIGINFO;
  sigemptyset(&own.sa_mask);
  sigaddset(&own.sa_mask, SIGUSR2);
  sigaction(SIGINT, &own, &before);
  CHECK(run(Press{7}, StopOnInterrupt{}).stopped == "interrupted by Ctrl-C (after 16 rows of epoch 2)");
  sigaction(SIGINT, &before, &now);
  CHECK((now.sa_sigaction == own.sa_sigaction));
  CHECK((now.sa_flags & (SA_SIGINFO | SA_RESTART)) == SA_SIGINFO);
  CHECK(sigismember(&now.sa_mask, SIGUSR2) == 1);
  CHECK(sigismember(&now.sa_mask, SIGTERM) == 0);
}

TEST_CASE("Ctrl-C that is ignored, as in a background job, stays ignored") {
  const auto before = signal(SIGINT, SIG_IGN);
  StopOnInterrupt stop;
  void (*during)(int) = nullptr;
  CHECK(run(Press{7}, stop, [&](const BatchInfo&) { during = handler_now(); }).stopped.empty());
  CHECK(!stop.interrupted());
  CHECK((during == SIG_IGN));
  CHECK((handler_now() == SIG_IGN));
  signal(SIGINT, before);
}

TEST_CASE("a handler that the program installs while fit runs stays") {
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
    CAPTURE(number);
    const auto before = signal(number, SIG_DFL);
    const auto install = [&](const BatchInfo& info) {
      if (info.epoch == 2) signal(number, note);
    };
    CHECK(run(install, StopOnInterrupt{}).stopped.empty());
    struct sigaction now{};
    sigaction(number, nullptr, &now);
    CHECK((now.sa_handler == note));
    signal(number, before);
  }
}

TEST_CASE("the second Ctrl-C ends the program") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    run(StopOnInterrupt{}, Press{2, 2});
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("of several at a time the last one puts back what was there") {
  signal(SIGINT, note);
  StopOnInterrupt first, second;
  first.on_begin({});
  raise(SIGINT);
  second.on_begin({});
  CHECK(!first.on_batch_end({}));  // not forgotten because another one began
  first.on_end({});
  CHECK(first.interrupted());
  CHECK((handler_now() != note));
  CHECK((handler_now() != SIG_DFL));
  second.on_end({});
  CHECK((handler_now() == note));
  signal(SIGINT, SIG_DFL);
}
