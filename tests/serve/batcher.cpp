// SPDX-License-Identifier: MIT
// labels: threads
// A Batcher of what is no network, and so does as the tests wish: it can be slow, and it can throw.
#include "sinter/serve/batcher.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Status = RequestStatus;

namespace {

/// Adds `plus` to each number, and keeps to what a test says.
struct Script {
  std::mutex mutex;
  std::vector<std::size_t> batches;      // rows of each
  std::counting_semaphore<1000> may{0};  // one for each batch, where `held`
  std::atomic<bool> held = false, throws = false, no_workspace = false;
  std::counting_semaphore<1000> begun{0};
};
struct Adder {
  using Scalar = float;
  using InputRow = Shape<2>;
  using OutputRow = Shape<2>;
  using Device = int;
  static constexpr bool on_host = true;
  struct Workspace {
    std::vector<float> y;
  };
  Script* script;
  float plus = 1;

  Device device() const { return 0; }
  int to_host() const { return 0; }
  Workspace workspace(std::size_t rows) const {
    if (script->no_workspace) fail("no memory for a workspace");
    return {std::vector<float>(rows * 2)};
  }
  TensorView<const float, OutputRow> forward(TensorView<const float, InputRow> x, Workspace& workspace,
                                             Normalize) const {
    {
      const std::scoped_lock lock(script->mutex);
      script->batches.push_back(x.rows);
    }
    script->begun.release();
    if (script->held) script->may.acquire();
    if (script->throws) fail("the adder is broken");
    for (std::size_t i = 0; i < x.rows * 2; ++i) workspace.y[i] = x.data[i] + plus;
    return {workspace.y.data(), x.rows};
  }
};
using Rows = Tensor<float, Shape<2>>;

/// What futures threw, until the program ends: the thread sanitizer does not see how libstdc++ counts the owners of an
/// exception, so the last one must be this thread.
std::vector<std::exception_ptr> thrown;

std::optional<RequestError> error_in(std::future<Rows>& y) {
  try {
    y.get();
    return std::nullopt;
  } catch (const RequestError& error) {
    thrown.push_back(std::current_exception());
    return error;
  }
}
Status status_of(std::future<Rows>& y) {
  const auto error = error_in(y);
  return error ? error->status : Status::answered;
}
std::string text_of(std::future<Rows>& y) {
  const auto error = error_in(y);
  return error ? std::string(error->what()).substr(8) : "(no error)";
}

/// A coroutine that begins at once, and of which nothing is kept.
struct Background {
  struct promise_type {
    Background get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {
      thrower = std::coroutine_handle<promise_type>::from_promise(*this);
      throw;
    }
  };
  inline static std::coroutine_handle<> thrower;  // the last one that threw: nothing else ends it
};

}  // namespace

TEST_CASE("a request is answered by future, callback and coroutine") {
  Script script;
  Batcher batcher(Adder{&script}, {.max_delay = 0us});
  const Rows x{5, 6, 7, 8};
  const Rows y = batcher.async(x).get();
  REQUIRE(y.rows() == 2);
  CHECK(y(1, 1) == 9);

  std::promise<std::vector<float>> called;
  batcher.submit(x, [&](const Answer<Adder>& answer) {
    CHECK(answer.status == Status::answered);
    CHECK(answer.error.empty());
    called.set_value({answer.y.data, answer.y.data + answer.y.rows * 2});
  });
  CHECK(called.get_future().get() == std::vector<float>{6, 7, 8, 9});

  std::promise<Rows> resumed;
  const Rows one{1, 2};
  [&]() -> Background { resumed.set_value(co_await batcher.submit(one)); }();
  const Rows z = resumed.get_future().get();
  CHECK(z.rows() == 1);
  CHECK(z(0, 1) == 3);
  CHECK(batcher.statistics()[Status::answered] == 3);
}

TEST_CASE("rows with strides are copied as the view says") {
  Script script;
  Batcher batcher(Adder{&script}, {.max_delay = 0us});
  const float table[] = {1, 0, 2, 0, 3, 0, 4, 0};
  const Rows y = batcher.async(Batcher<Adder>::Rows{table, 2, 4, 2}).get();
  CHECK(std::vector<float>(y.values().begin(), y.values().end()) == std::vector<float>{2, 3, 4, 5});
}

TEST_CASE("a full batch leaves at once, one that is not waits for max_delay") {
  Script script;
  Batcher batcher(Adder{&script}, {.max_batch = 4, .max_delay = 1h});
  std::vector<std::future<Rows>> y;
  for (int i = 0; i < 4; ++i) y.push_back(batcher.async(Rows{0, 0}));
  for (auto& each : y) CHECK(status_of(each) == Status::answered);
  CHECK(script.batches == std::vector<std::size_t>{4});
  CHECK(batcher.async(Rows{0, 0, 0, 0}).wait_for(20ms) == std::future_status::timeout);

  Batcher quick(Adder{&script}, {.max_batch = 4, .max_delay = 20ms});
  const auto begin = Clock::now();
  auto alone = quick.async(Rows{0, 0});
  CHECK(status_of(alone) == Status::answered);
  CHECK(Clock::now() - begin >= 20ms);
  CHECK(quick.statistics().waiting.quantile(1) >= 20ms);
}

TEST_CASE("a request is computed in one batch: the next one does not fit, and leaves later") {
  Script script;
  script.held = true;
  Batcher batcher(Adder{&script}, {.max_batch = 4, .max_delay = 0us});
  auto first = batcher.async(Rows{0, 0});
  script.begun.acquire();  // these wait meanwhile
  auto three = batcher.async(Rows(3)), two = batcher.async(Rows(2)), one = batcher.async(Rows(1));
  script.held = false;
  script.may.release();
  for (auto* y : {&first, &three, &two, &one}) CHECK(status_of(*y) == Status::answered);
  CHECK(script.batches == std::vector<std::size_t>{1, 3, 3});
}

TEST_CASE("a full queue refuses at once with a message, by each kind of answer") {
  Script script;
  script.held = true;
  Batcher batcher(Adder{&script}, {.max_batch = 2, .max_delay = 0us, .max_waiting = 3});
  auto computed = batcher.async(Rows(1));
  script.begun.acquire();
  auto waits = batcher.async(Rows(2));
  auto refused = batcher.async(Rows(2));  // 2 + 2 > 3
  REQUIRE(refused.wait_for(0s) == std::future_status::ready);
  CHECK(
      text_of(refused) ==
      "the queue is full: 2 rows wait, and .max_waiting is 3; submit it again later, or give the batcher more workers");
  bool called = false;
  batcher.submit(Rows(2), [&](const Answer<Adder>& answer) {
    called = answer.status == Status::queue_full && answer.y.rows == 0 && has(std::string(answer.error), "is full");
  });
  CHECK(called);
  int refusals = 0;
  [&]() -> Background {
    for (int i = 0; i < 100000; ++i)  // no deeper and deeper stack
      try {
        co_await batcher.submit(Rows(2));
      } catch (const RequestError& error) {
        refusals += error.status == Status::queue_full;
      }
  }();
  CHECK(refusals == 100000);
  CHECK(batcher.statistics().waiting_rows == 2);
  auto fits = batcher.async(Rows(1));
  CHECK(batcher.statistics().waiting_rows == 3);
  script.held = false;
  script.may.release();
  CHECK(status_of(computed) == Status::answered);
  CHECK(status_of(waits) == Status::answered);
  CHECK(status_of(fits) == Status::answered);
  CHECK(batcher.statistics()[Status::queue_full] == 100002);
  CHECK(batcher.statistics().waiting_rows == 0);
}

TEST_CASE("late and cancelled requests are not computed, and the others are answered") {
  Script script;
  script.held = true;
  Batcher batcher(Adder{&script}, {.max_batch = 8, .max_delay = 0us});
  auto first = batcher.async(Rows(1));
  script.begun.acquire();
  std::stop_source source;
  auto good = batcher.async(Rows(1), {.deadline = Clock::now() + 1h});
  auto cancelled = batcher.async(Rows(1), {.cancellation = source.get_token()});
  auto late = batcher.async(Rows(1), {.deadline = Clock::now() + 1ms});
  auto another = batcher.async(Rows(1));
  source.request_stop();
  std::this_thread::sleep_for(5ms);
  script.held = false;
  script.may.release();
  CHECK(status_of(first) == Status::answered);
  CHECK(status_of(good) == Status::answered);
  CHECK(text_of(cancelled) == "the request was cancelled");
  CHECK(text_of(late) == "the request's deadline passed while it waited");
  CHECK(status_of(another) == Status::answered);
  CHECK(script.batches == std::vector<std::size_t>{1, 2});
  const auto statistics = batcher.statistics();
  CHECK(statistics[Status::cancelled] == 1);
  CHECK(statistics[Status::deadline_exceeded] == 1);
  CHECK(statistics.rows == 3);
  CHECK(statistics.waiting.count() == 3);
  CHECK(statistics.computing.count() == 2);
}

TEST_CASE("a deadline wakes a worker that waits for more requests, whatever the order in which they came") {
  Script script;
  Batcher batcher(Adder{&script}, {.workers = 2, .max_batch = 8, .max_delay = 1h});
  auto waits = batcher.async(Rows(1));
  auto later = batcher.async(Rows(1), {.deadline = Clock::now() + 30ms});
  auto sooner = batcher.async(Rows(1), {.deadline = Clock::now() + 10ms});
  CHECK(status_of(sooner) == Status::deadline_exceeded);
  CHECK(status_of(later) == Status::deadline_exceeded);
  CHECK(waits.wait_for(0s) == std::future_status::timeout);
  batcher.stop();
  CHECK(status_of(waits) == Status::answered);
}

TEST_CASE("what a callback or a coroutine throws is counted, and the others of its batch are answered") {
  Script script;
  Batcher batcher(Adder{&script}, {.max_batch = 4, .max_delay = 1h});
  auto before = batcher.async(Rows(1));
  batcher.submit(Rows(1), [](const Answer<Adder>&) { throw std::runtime_error("a mistake of the caller's"); });
  [&]() -> Background {
    co_await batcher.submit(Rows(1));
    throw 7;
  }();
  auto after = batcher.async(Rows(1));
  CHECK(status_of(before) == Status::answered);
  CHECK(status_of(after) == Status::answered);
  CHECK(batcher.statistics().callback_errors == 2);
  batcher.stop();
  Background::thrower.destroy();
  CHECK(batcher.statistics()[Status::answered] == 4);
}

TEST_CASE("where the network throws, its batch gets the error, and later ones are answered") {
  Script script;
  script.throws = true;
  Batcher batcher(Adder{&script}, {.max_delay = 0us});
  auto lost = batcher.async(Rows(1));
  CHECK(text_of(lost) == "the adder is broken");
  script.throws = false;
  auto y = batcher.async(Rows(1));
  CHECK(status_of(y) == Status::answered);
  CHECK(batcher.statistics()[Status::failed] == 1);
}

TEST_CASE("when a worker ends the others continue; when the last one does, nothing waits for ever") {
  Script script;
  script.held = true;
  Batcher batcher(Adder{&script}, {.workers = 2, .max_batch = 1, .max_delay = 0us});
  auto a = batcher.async(Rows(1)), b = batcher.async(Rows(1)), c = batcher.async(Rows(1)), d = batcher.async(Rows(1));
  script.begun.acquire();
  script.begun.acquire();  // both workers compute, c and d wait
  script.throws = script.no_workspace = true;
  script.may.release();  // one ends
  std::future<Rows>* const first = [&] {
    for (;; std::this_thread::sleep_for(1ms))
      for (auto* y : {&a, &b})
        if (y->wait_for(0s) == std::future_status::ready) return y;
  }();
  CHECK(status_of(*first) == Status::failed);
  CHECK(c.wait_for(5ms) == std::future_status::timeout);
  SUBCASE("the other continues") {
    script.held = script.throws = script.no_workspace = false;
    script.may.release();
    CHECK(status_of(first == &a ? b : a) == Status::answered);
    CHECK(status_of(c) == Status::answered);
    CHECK(status_of(d) == Status::answered);
  }
  SUBCASE("the other ends, too") {
    script.may.release();
    for (auto* y : {first == &a ? &b : &a, &c, &d}) CHECK(status_of(*y) == Status::failed);
    auto refused = batcher.async(Rows(1));
    CHECK(text_of(refused) == "no worker of the batcher is left: no memory for a workspace");
  }
}

TEST_CASE("stop answers what waits, without delay, and refuses what comes") {
  Script script;
  std::vector<std::future<Rows>> y;
  std::optional<Batcher<Adder>> batcher;
  batcher.emplace(Adder{&script}, BatcherOptions{.max_batch = 4, .max_delay = 1h});
  for (int i = 0; i < 3; ++i) y.push_back(batcher->async(Rows(1)));
  batcher->stop();
  for (auto& each : y) CHECK(status_of(each) == Status::answered);
  auto refused = batcher->async(Rows(1));
  CHECK(text_of(refused) == "the batcher was stopped, and takes no more requests");
  batcher->stop();
  batcher.reset();

  batcher.emplace(Adder{&script}, BatcherOptions{.max_batch = 4, .max_delay = 1h});
  auto last = batcher->async(Rows(1));
  batcher.reset();
  CHECK(status_of(last) == Status::answered);
}

TEST_CASE("an answer may submit, and may not stop its batcher") {
  Script script;
  Batcher batcher(Adder{&script}, {.max_delay = 0us});
  std::promise<std::string> said;
  batcher.submit(Rows(1), [&](const Answer<Adder>&) {
    batcher.submit(Rows(1), [&](const Answer<Adder>&) { said.set_value(error_of([&] { batcher.stop(); })); });
  });
  CHECK(has(said.get_future().get(), "the batcher was stopped, or destroyed, by an answer of its own"));
}

TEST_CASE("requests of no rows, of too many and of none that there are fail where they are made") {
  Script script;
  Batcher batcher(Adder{&script}, {.max_batch = 4});
  CHECK(error_of([&] { batcher.async(Rows(0)); }) ==
        "a request of 0 rows was submitted; give it 1 to 4 rows, or the batcher a larger .max_batch");
  CHECK(has(error_of([&] { batcher.async(Rows(5)); }), "a request of 5 rows was submitted; give it 1 to 4 rows"));
  CHECK(has(error_of([&] { batcher.async(Batcher<Adder>::Rows{nullptr, 3}); }), "3 rows at a null pointer"));
  std::string in_coroutine;
  [&]() -> Background {
    try {
      co_await batcher.submit(Rows(5));
    } catch (const Error& error) {
      in_coroutine = error.what();
    }
  }();
  CHECK(has(in_coroutine, "a request of 5 rows"));
  CHECK(batcher.statistics()[Status::queue_full] == 0);
}

TEST_CASE("options without sense are refused, and so is a network without a workspace") {
  Script script;
  const auto error_with = [&](BatcherOptions options) { return error_of([&] { Batcher(Adder{&script}, options); }); };
  CHECK(error_with({.workers = 0}) == "a Batcher was given .workers = 0, expected 1 to 1024 threads");
  CHECK(has(error_with({.workers = 1 << 30}), ".workers = 1073741824"));
  CHECK(has(error_with({.max_batch = 0}), ".max_batch = 0, expected 1 to 1048576 rows"));
  CHECK(has(error_with({.max_delay = -1us}), ".max_delay = -1, expected 0 microseconds to 1 hour"));
  CHECK(has(error_with({.max_delay = std::chrono::microseconds::max()}), "1 hour"));
  CHECK(has(error_with({.max_batch = 64, .max_waiting = 63}), ".max_waiting = 63, expected at least the rows"));
  script.no_workspace = true;
  CHECK(error_with({}) == "no memory for a workspace");
}

TEST_CASE("another network answers what is submitted after replace, and no request is answered by two") {
  Script script;
  Batcher batcher(Adder{&script, 0}, {.workers = 3, .max_batch = 8, .max_delay = 50us, .max_waiting = 1 << 16});
  std::atomic<bool> done = false;
  std::atomic<int> least = 0, wrong = 0, answered = 0;
  std::vector<std::jthread> askers;
  for (int t = 0; t < 3; ++t)
    askers.emplace_back([&] {
      while (!done) {
        const int before = least;
        const Rows y = batcher.async(Rows(3)).get();
        for (const float number : y.values()) wrong += number != y.values()[0] || number < static_cast<float>(before);
        ++answered;
      }
    });
  for (int version = 1; version <= 200; ++version) {
    batcher.replace(Adder{&script, static_cast<float>(version)});
    least = version;
    if (version % 16 == 0) std::this_thread::sleep_for(1ms);
  }
  while (answered < 10) std::this_thread::sleep_for(1ms);
  done = true;
  askers.clear();
  CHECK(wrong == 0);
  CHECK(batcher.async(Rows(1)).get()(0, 0) == 200);
}

TEST_CASE("of two networks that replace at a time, all workers get the same one") {
  Script script;
  Batcher batcher(Adder{&script, 0}, {.workers = 16, .max_batch = 1, .max_delay = 0us, .max_waiting = 1 << 16});
  int rounds_with_both = 0;
  for (int round = 1; round <= 300; ++round) {
    std::atomic<int> ready = 0;
    {
      std::vector<std::jthread> replacing;
      for (int t = 0; t < 2; ++t)
        replacing.emplace_back([&, t] {
          ++ready;
          while (ready < 2) {
          }
          batcher.replace(Adder{&script, static_cast<float>(2 * round + t)});
        });
    }
    std::vector<std::future<Rows>> answers;
    for (int i = 0; i < 64; ++i) answers.push_back(batcher.async(Rows(1)));
    std::set<float> of_round;
    for (auto& answer : answers) of_round.insert(answer.get()(0, 0));
    rounds_with_both += of_round.size() != 1;
  }
  CHECK(rounds_with_both == 0);
}
