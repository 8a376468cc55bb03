// SPDX-License-Identifier: MIT
#include "support/checked_executor.hpp"

#include <doctest/doctest.h>

using namespace sinter::internal;
using namespace sinter_test;

namespace {

/// Moves four numbers together, `at` numbers after their right place.
struct MoveFour {
  static constexpr bool whole_grid = false;
  struct Args {
    const float* from;
    float* to;
    int read_at, write_at;
  };
  template <class X>
  static void run(X& x, const Args& args) {
    x.once([&] {
      float four[4];
      executor::read_together<4>(x.global(args.from) + args.read_at, four);
      executor::write_together<4>(x.global(args.to) + args.write_at, four);
    });
  }
};

}  // namespace

TEST_CASE("an access of four numbers must be at a multiple of 16 bytes") {
  alignas(16) float from[12] = {}, to[12];
  for (int read_at = 0; read_at <= 8; ++read_at)
    for (const int write_at : {0, 2, 4}) {
      Checker checker;
      CheckedLauncher launch{&checker};
      launch.given(from, 12);
      launch.wanted(to, 12);
      launch.operator()<MoveFour>({from, to, read_at, write_at}, 1, 0);
      CAPTURE(read_at);
      CAPTURE(write_at);
      CHECK(checker.clean() == (read_at % 4 == 0 && write_at % 4 == 0));
    }
}
