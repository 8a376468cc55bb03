// SPDX-License-Identifier: MIT
// labels: threads
#include "sinter/device/thread_pool.hpp"

#include <doctest/doctest.h>
#include <stdexcept>

#include <atomic>
#include <chrono>
#include <ctime>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "sinter/core/error.hpp"

using sinter::internal::detail::Executor;
using sinter::internal::detail::Task;
using sinter::internal::detail::ThreadPool;
using namespace std::chrono_literals;

namespace {

/// Each item is worked on once, by one of the threads, and the caller sees it: nothing here is atomic.
void check_once(const ThreadPool& pool, int items) {
  const auto n = static_cast<std::size_t>(items);
  std::vector<int> calls(n), by(n, -1), of_thread(static_cast<std::size_t>(pool.size()));
  pool.run(items, [&](int thread, int item) {
    ++calls[static_cast<std::size_t>(item)];
    by[static_cast<std::size_t>(item)] = thread;
    ++of_thread[static_cast<std::size_t>(thread)];  // one thread at a time has a number
  });
  CHECK(calls == std::vector<int>(n, 1));
  CHECK(std::accumulate(of_thread.begin(), of_thread.end(), 0) == items);
  for (const int thread : by) CHECK((thread >= 0 && thread < pool.size()));
}
void let_it_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

}  // namespace

TEST_CASE("each item is worked on once, for any number of threads and items") {
  for (int threads = 1; threads <= 7; ++threads) {
    CAPTURE(threads);
    const ThreadPool pool(threads);
    CHECK(pool.size() == threads);
    for (int items = 0; items <= 20; ++items) {
      CAPTURE(items);
      check_once(pool, items);
    }
  }
}

TEST_CASE("many short rounds lose nothing") {
  for (const int threads : {1, 2, 3, 7}) {
    const ThreadPool pool(threads);
    std::vector<long> sums(static_cast<std::size_t>(threads));
    long total = 0;
    for (int round = 0; round < 500; ++round) {
      pool.run(threads, [&](int, int item) { sums[static_cast<std::size_t>(item)] += round; });
      total += round;
    }
    CHECK(sums == std::vector<long>(static_cast<std::size_t>(threads), total));
  }
}

TEST_CASE("threads that fell asleep wake up") {
  const ThreadPool pool(3);
  for (int i = 0; i < 5; ++i) {
    let_it_sleep();
    check_once(pool, 3);
    check_once(pool, 3);  // and are still awake
  }
}

TEST_CASE("rounds while threads are about to fall asleep") {
  const ThreadPool pool(4);
  for (int i = 0; i < 60; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(20 * i));
    check_once(pool, 4);
  }
}

TEST_CASE("work is shared: items are worked on by several threads at a time") {
  const ThreadPool pool(3);
  std::atomic<int> present{0};
  pool.run(3, [&](int, int) {
    present.fetch_add(1);
    while (present.load() < 3) std::this_thread::yield();  // ends only if all three are here at once
  });
  CHECK(present == 3);
}

TEST_CASE("where one thread is held up, the others do its share") {
  const ThreadPool pool(3);
  std::atomic<int> others{0};
  int held = 0;
  pool.run(12, [&](int, int item) {
    if (item == 5) {
      while (others.load() < 11) std::this_thread::yield();  // ends only if every other item goes elsewhere
      held = others.load();
    } else {
      others.fetch_add(1);
    }
  });
  CHECK(held == 11);
}

TEST_CASE("copies share the threads; the last one ends them") {
  std::optional<ThreadPool> first(3);
  const ThreadPool copy = *first;
  check_once(*first, 3);
  check_once(copy, 3);
  first.reset();
  check_once(copy, 3);
  ThreadPool other(2);
  other = copy;
  CHECK(other.size() == 3);
  check_once(other, 3);
  const ThreadPool moved = std::move(other);
  check_once(moved, 3);
}

TEST_CASE("a pool may be destroyed at once, spinning or asleep") {
  for (int i = 0; i < 20; ++i) {
    {
      const ThreadPool never_used(3);
    }
    {
      const ThreadPool used(3);
      check_once(used, 3);
    }
  }
  const ThreadPool* asleep = new ThreadPool(3);
  let_it_sleep();
  delete asleep;
}

TEST_CASE("a thread that is late for the last run learns that the pool ends") {
  for (int i = 0; i < 4000; ++i) {
    const ThreadPool pool(8, 0us);  // with threads to spare: some wake only when the others have done it all
    pool.run(8, [](int, int) {});
  }
}

TEST_CASE("several threads may use one pool: a run that finds it taken is done by its caller") {
  const ThreadPool pool(3);
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> users;
  std::vector<int> done(4);
  for (std::size_t user = 0; user < done.size(); ++user)
    users.emplace_back([&, user] {
      for (int i = 0; i < 50; ++i) {
        const ThreadPool mine = pool;
        int calls[3] = {};
        mine.run(3, [&](int, int item) {
          const int now = inside.fetch_add(1) + 1;
          int seen = most.load();
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          ++calls[item];
          inside.fetch_sub(1);
        });
        if (calls[0] == 1 && calls[1] == 1 && calls[2] == 1) ++done[user];
      }
    });
  for (auto& user : users) user.join();
  CHECK(done == std::vector<int>(4, 50));
  CHECK(most <= 3 + 3);  // the threads of one run, and the callers of three others
}

TEST_CASE("work without threads runs in order on the caller") {
  const ThreadPool pool(1);
  std::vector<int> order;
  const auto caller = std::this_thread::get_id();
  pool.run(4, [&](int thread, int item) {
    CHECK(std::this_thread::get_id() == caller);
    CHECK(thread == 0);
    order.push_back(item);
  });
  CHECK(order == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("a run from inside of work, or from another thread meanwhile, is done by its caller") {
  const ThreadPool pool(3);
  std::atomic<int> inner{0};
  pool.run(4, [&](int, int) {
    pool.run(5, [&](int thread, int) {
      CHECK(thread == 0);
      ++inner;
    });
  });
  CHECK(inner == 20);

  std::atomic<int> both{0};
  const auto many = [&] {
    for (int i = 0; i < 200; ++i) pool.run(7, [&](int, int) { ++both; });
  };
  std::thread other(many);
  many();
  other.join();
  CHECK(both == 2 * 200 * 7);
}

TEST_CASE("what work throws comes out of run, when all items are done, and the pool lives on") {
  for (const int threads : {1, 3}) {
    const ThreadPool pool(threads);
    std::atomic<int> calls{0};
    CHECK_THROWS_AS(pool.run(20,
                             [&](int, int item) {
                               ++calls;
                               if (item == 7) throw std::runtime_error("seven");
                             }),
                    std::runtime_error);
    if (threads > 1) CHECK(calls == 20);
    check_once(pool, 20);
  }
}

TEST_CASE("threads that do not spin at all") {
  const ThreadPool pool(3, 0us);
  for (int items = 0; items <= 20; ++items) check_once(pool, items);
  let_it_sleep();
  check_once(pool, 3);
}

TEST_CASE("an idle pool uses no processor") {
  const ThreadPool pool(3);
  check_once(pool, 3);
  let_it_sleep();
  const std::clock_t before = std::clock();  // of all threads
  std::this_thread::sleep_for(400ms);
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 5);  // spinning, two threads would use four times as much
}

TEST_CASE("threads may spin for ever") {
  const ThreadPool pool(3, std::chrono::microseconds::max());
  check_once(pool, 3);
  const std::clock_t before = std::clock();  // of all threads
  const auto spun = [&] { return std::clock() - before >= CLOCKS_PER_SEC / 5; };
  for (int i = 0; i < 200 && !spun(); ++i) std::this_thread::sleep_for(50ms);
  CHECK(spun());
  check_once(pool, 3);
}

namespace {
/// Each call on a thread of its own.
void at_the_same_time(int n, Task task) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back(task, i);
  for (auto& thread : threads) thread.join();
}
void one_after_another(int n, Task task) {
  for (int i = n - 1; i >= 0; --i) task(i);
}
ThreadPool on(Executor executor, int threads = 3) { return ThreadPool(threads, 0us, std::move(executor)); }
}  // namespace

TEST_CASE("an executor's threads do the work: each item once, whatever the order of its calls") {
  for (const Executor& executor : {Executor(at_the_same_time), Executor(one_after_another)}) {
    const ThreadPool pool = on(executor);
    CHECK(pool.size() == 3);
    for (int items = 0; items <= 20; ++items) check_once(pool, items);
  }
}

TEST_CASE("an executor is asked for no more calls than there are items or threads") {
  std::vector<int> asked;
  const ThreadPool pool = on([&](int n, Task task) {
    asked.push_back(n);
    one_after_another(n, task);
  });
  for (const int items : {0, 1, 2, 3, 50}) check_once(pool, items);
  CHECK(asked == std::vector<int>{2, 3, 3});  // none for what one thread does
}

TEST_CASE("what work throws comes through an executor") {
  const ThreadPool pool = on(at_the_same_time);
  std::atomic<int> calls{0};
  CHECK_THROWS_AS(pool.run(20,
                           [&](int, int item) {
                             ++calls;
                             if (item == 7) throw std::runtime_error("seven");
                           }),
                  std::runtime_error);
  CHECK(calls == 20);
  check_once(pool, 20);
}

TEST_CASE("a run from inside of an executor's work is done by its caller") {
  const ThreadPool pool = on(at_the_same_time);
  std::atomic<int> inner{0};
  pool.run(4, [&](int, int) { pool.run(5, [&](int thread, int) { inner += thread == 0; }); });
  CHECK(inner == 20);
}

TEST_CASE("a call that an executor makes too late does nothing") {
  std::optional<Task> late;
  std::optional<ThreadPool> pool = on([&](int n, Task task) {
    if (!late) {
      for (int i = 1; i < n; ++i) task(i);
      late = task;  // without its call 0
    } else {
      (*late)(0);
      at_the_same_time(n, task);
      (*late)(0);
    }
  });
  int calls = 0;
  CHECK_THROWS_WITH(pool->run(20, [&](int, int) { ++calls; }),
                    "sinter: the executor of a device was given 3 calls to make and returned when 2 had returned; it "
                    "must return when all have");
  CHECK(calls == 20);
  (*late)(0);
  for (int items = 2; items <= 20; ++items) check_once(*pool, items);
  pool.reset();
  (*late)(0);
  CHECK(calls == 20);
}

TEST_CASE("what an executor throws comes out of run when the calls that it has started have ended") {
  std::vector<std::thread> threads;
  std::optional<Task> not_started;
  std::atomic<int> inside{0}, calls{0};
  std::atomic<bool> throwing{false};
  const ThreadPool pool = on([&](int, Task task) {
    throwing = false;
    threads.emplace_back(task, 0);
    threads.emplace_back(task, 1);
    not_started = task;
    while (inside.load() == 0) std::this_thread::yield();
    throwing = true;
    throw std::runtime_error("no third thread");
  });
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_WITH(pool.run(3,
                               [&](int, int) {
                                 ++inside;
                                 ++calls;
                                 while (!throwing.load()) std::this_thread::yield();
                                 std::this_thread::sleep_for(2ms);
                                 --inside;
                               }),
                      "no third thread");
    CHECK(inside == 0);
    const int before = calls;
    (*not_started)(2);
    CHECK(calls == before);
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("calls that are late for a run whose executor threw leave the next ones alone") {
  std::vector<std::thread> threads;
  bool throws = true;
  const ThreadPool pool = on([&](int n, Task task) {
    if (!throws) return at_the_same_time(n, task);
    for (int i = 0; i < n; ++i) threads.emplace_back(task, i);
    throw std::runtime_error("tired");
  });
  for (int round = 0; round < 200; ++round) {
    throws = round % 2 == 0;
    if (!throws) {
      check_once(pool, 20);
      continue;
    }
    std::vector<int> worked(20);
    CHECK_THROWS_WITH(pool.run(20, [&](int, int item) { ++worked[static_cast<std::size_t>(item)]; }), "tired");
    for (const int times : worked) CHECK(times <= 1);
  }
  for (auto& thread : threads) thread.join();
}

TEST_CASE("what an executor throws takes the place of what work threw") {
  bool throws = true;
  const ThreadPool pool = on([&](int n, Task task) {
    one_after_another(n, task);
    if (throws) throw std::runtime_error("tired");
  });
  CHECK_THROWS_WITH(pool.run(20, [](int, int) { throw std::runtime_error("work"); }), "tired");
  throws = false;
  check_once(pool, 20);
  CHECK_THROWS_WITH(pool.run(20, [](int, int) { throw std::runtime_error("work"); }), "work");
}

TEST_CASE("options that are invalid are refused with a message") {
  const auto does_nothing = [](int, Task) {};
  CHECK_THROWS_WITH(
      on(does_nothing).run(5, [](int, int) {}),
      "sinter: the executor of a device was given 3 calls to make and returned when 0 had returned; it must return "
      "when all have");
  CHECK_THROWS_WITH(
      on(does_nothing, 1),
      "sinter: a device was given an executor and 1 thread, which is the caller's: say with .threads how many calls "
      "at once the executor is to make");
  CHECK_THROWS_WITH(ThreadPool(2, -3us), "sinter: a device was given .spin of -3 microseconds; give it 0 or more");
  CHECK_THROWS_WITH(ThreadPool(0), "sinter: a device with 0 threads was asked for; ask for 1 or more");
}
