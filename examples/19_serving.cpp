// SPDX-License-Identifier: MIT
// Many threads send requests, one network answers them in batches, and another thread trains it and replaces its
// weights.
#include <sinter/serve.hpp>
#include <sinter/sinter.hpp>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <random>
#include <thread>
#include <vector>

#include "support/arguments.hpp"

using namespace sinter;

struct Net : Sequential<Input<2>, Linear<32>, ReLU, Linear<32>, ReLU, Linear<2>> {};

// [background]
/// A coroutine that runs until it waits, and goes on in the thread that wakes it. Nothing is kept of it.
struct Background {
  struct promise_type {
    Background get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
// [/background]

/// Sends one point after another, and counts the right answers.
Background ask(Batcher<Network<Net>>& batcher, const auto& points, std::size_t first, std::size_t count,
               std::atomic<std::size_t>& right, std::atomic<std::size_t>& asked) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = (first + i) % points.size();
    const auto scores = co_await batcher.submit(points.inputs().slice(row, 1));
    right += (scores(0, 1) > scores(0, 0)) == (points.targets()[row] == 1);
    ++asked;
  }
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const int clients = arguments.get("--clients", 64, 1, "coroutines that ask at the same time");
  const int questions = arguments.get("--questions", 2000, 1, "of each of them");
  const int workers = arguments.get("--workers", 1, 1, "threads that compute batches");
  const int delay = arguments.get("--max-delay", 200, 0, "microseconds that a question waits for others");
  arguments.finish();

  const auto points = disc(2000, 1);
  Network<Net> net{{.seed = 1}};
  fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.epochs = 10});

  const auto begin = monotonic_seconds();
  std::atomic<std::size_t> right = 0, asked = 0;
  Batcher batcher(net, {.workers = workers, .max_batch = 64, .max_delay = std::chrono::microseconds(delay)});
  std::jthread trainer([&] {
    for (int epoch = 0; epoch < 5; ++epoch) {
      fit(net, points, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.first_epoch = epoch});
      batcher.replace(net);
    }
  });
  for (int i = 0; i < clients; ++i)
    ask(batcher, points, static_cast<std::size_t>(i) * 31, static_cast<std::size_t>(questions), right, asked);
  const auto all = static_cast<std::size_t>(clients) * static_cast<std::size_t>(questions);
  while (asked < all) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  trainer.join();
  batcher.stop();

  const auto done = batcher.statistics();
  const auto us = [](auto duration) { return std::chrono::duration<double, std::micro>(duration).count(); };
  std::printf("%llu questions in %.2f s, %.1f in a batch, %.1f %% right\n", static_cast<unsigned long long>(done.rows),
              monotonic_seconds() - begin, static_cast<double>(done.rows) / static_cast<double>(done.batches),
              100 * static_cast<double>(right) / static_cast<double>(all));
  std::printf("waiting:   p50 %8.1f us, p99 %8.1f us, p99.9 %8.1f us\n", us(done.waiting.quantile(0.5)),
              us(done.waiting.quantile(0.99)), us(done.waiting.quantile(0.999)));
  std::printf("computing: p50 %8.1f us, p99 %8.1f us, p99.9 %8.1f us\n", us(done.computing.quantile(0.5)),
              us(done.computing.quantile(0.99)), us(done.computing.quantile(0.999)));
  return done[RequestStatus::answered] == all ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
