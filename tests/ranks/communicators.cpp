// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "ranks/conformance.hpp"
#include "sinter/ranks/solo.hpp"
#include "sinter/ranks/threads.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

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
