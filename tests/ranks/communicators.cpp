// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>

#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "ranks/conformance.hpp"
#include "sinter/ranks/solo.hpp"
#include "sinter/ranks/threads.hpp"
#include "sinter/ranks/time_limit.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

// The sanitizer of threads has an operator new of its own.
#if defined(__SANITIZE_THREAD__)
#define ALLOCATIONS_CAN_FAIL 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ALLOCATIONS_CAN_FAIL 0
#endif
#endif
#if !defined(ALLOCATIONS_CAN_FAIL)
#define ALLOCATIONS_CAN_FAIL 1
#endif

#if ALLOCATIONS_CAN_FAIL
// g++ takes free() for a mistake where it sees that the memory came from operator new.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
namespace {
thread_local int allocations_left = -1;  // of this thread, before one fails; negative: none does
}
void* operator new(std::size_t size) {
  void* p = allocations_left == 0 ? nullptr : std::malloc(size);
  if (allocations_left >= 0) --allocations_left;
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

TEST_CASE("Solo and Threads move bytes as a communicator must") {
  Solo solo;
  sinter_test::check_conformance(solo);
  for (const int ranks : {1, 2, 3, 4, 7, 16}) {
    CAPTURE(ranks);
    Threads(ranks).run(sinter_test::check_conformance);
  }
}

TEST_CASE("A rank that throws ends all of them with its message") {
  for (const int thrower : {0, 2}) {
    const std::string text = error_of([&] {
      Threads(4).run([&](Communicator& world) {
        if (world.rank() == thrower) throw std::runtime_error("no such file");
        for (;;) detail::gather(world, 1);
      });
    });
    CHECK(text == "rank " + std::to_string(thrower) + " of 4 failed: no such file");
  }
}

TEST_CASE("Ranks that make different calls get an error, and none hangs") {
  CHECK(error_of([] {
          Threads(2).run([](Communicator& world) {
            if (world.rank() == 0) detail::gather(world, 1);
          });
        }) == "rank 0 of 2 failed: rank 0 waited for rank 1, which has ended; all ranks are to make the same calls");
  CHECK(error_of([] {
          Threads(2).run([](Communicator& world) {
            if (world.rank() == 0)
              detail::gather(world, 1);
            else
              detail::gather(world, 1.0);
          });
        }).find("all ranks are to make the same calls with the same options") != std::string::npos);
  CHECK(error_of([] {
          Threads(2, std::chrono::seconds(1)).run([](Communicator& world) {
            int number = 0;
            detail::Exchange exchange(world);
            exchange.receive(1 - world.rank(), &number, 1);
            exchange.run();
          });
        }).find("waited for rank") != std::string::npos);
}

TEST_CASE("No ranks, or very many, are refused") {
  CHECK(error_of([] { Threads(0); }) == "0 ranks were asked for; ask for 1 to 1024, about one for each core");
}

TEST_CASE("Ranks may wait for ever, and no less than no time") {
  Threads(2, std::chrono::seconds::max()).run([](Communicator& world) {
    if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    detail::gather(world, 1);
  });
  CHECK(error_of([] { Threads(2, std::chrono::seconds(-1)); }) ==
        "ranks were given a time limit of -1 s; give them 0 or more");
}

#if ALLOCATIONS_CAN_FAIL
TEST_CASE("An allocation that fails ends all ranks, those that have started too") {
  int failed = 0;
  bool no_thread = false;
  for (bool failing = true; failing; ++failed) {
    const std::string text = error_of([&] {
      allocations_left = failed;
      try {
        Threads(5).run([](Communicator& world) { detail::gather(world, 1); });
        failing = false;
      } catch (const std::bad_alloc&) {  // before there were threads
      }
    });
    allocations_left = -1;
    no_thread |= text == "the system provided no thread for rank 3 of 5 (std::bad_alloc); ask for fewer";
  }
  CHECK(failed > 10);
  CHECK(no_thread);
}
#endif

#if defined(__GLIBC__)
namespace {
std::size_t exchange_stack_size(std::size_t bytes) {
  pthread_attr_t options;
  std::size_t before = 0;
  pthread_getattr_default_np(&options);
  pthread_attr_getstacksize(&options, &before);
  pthread_attr_setstacksize(&options, bytes);
  pthread_setattr_default_np(&options);
  pthread_attr_destroy(&options);
  return before;
}
}  // namespace

TEST_CASE("A rank for which the system has no thread ends all, whatever the others do") {
  const std::size_t usual = exchange_stack_size(std::size_t{1} << 18);
  std::string text;
  for (int i = 0; i < 20 && !has(text, "the system provided no thread for rank "); ++i) {
    text = error_of([] {
      Threads(1024).run([](Communicator& world) {
        if (world.rank() != 1) return;
        exchange_stack_size(std::size_t{1} << (8 * sizeof(void*) - 4));
        throw std::runtime_error("no such file");
      });
    });
    exchange_stack_size(std::size_t{1} << 18);
  }
  exchange_stack_size(usual);
  CHECK(has(text, "the system provided no thread for rank "));
}
#endif

TEST_CASE("the text of some ranks") {
  using detail::text_of_ranks;
  CHECK(text_of_ranks({}) == "other ranks");
  CHECK(text_of_ranks({2, 2}) == "rank 2");
  CHECK(text_of_ranks({3, 0}) == "ranks 0 and 3");
  CHECK(text_of_ranks({5, 1, 3, 2, 4}) == "ranks 1, 2, 3, 4 and 5");
  CHECK(text_of_ranks({6, 5, 1, 3, 2, 4}) == "ranks 1, 2, 3, 4 and 2 others");
}
