// SPDX-License-Identifier: MIT
// labels: slow optimised unsanitized
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bitwise/built.hpp"
#include "support/gradient_check.hpp"
#include "support/sanitized.hpp"

// Compares aarch64, in QEMU, with x86-64: nearly the same numbers, and a table of which bits are equal.
// Compilers and flags give the same bits there, too. SINTER_FIXTURES is where the programs are found from.
using namespace bitwise;

TEST_CASE("aarch64 and x86-64") {
#if !defined(__x86_64__)
  skip("other processors are compared with x86-64");
#endif
  if (sinter_test::sanitized) skip("processors are compared without sanitizers");
  const std::string gcc = "aarch64-linux-gnu-g++", emulator = "qemu-aarch64 -L /usr/aarch64-linux-gnu";
  const std::string clang = "clang++-19 --target=aarch64-linux-gnu";
  if (!exists(gcc) || !exists(emulator)) skip("no cross compiler for aarch64, or no QEMU: ./setup --platforms");
  const bool both = exists("clang++-19");
  if (!both) MESSAGE("not compared: there is no clang++-19 here");
  const Folder folder("processors");
  struct {
    const char *name, *flags;
  } constexpr x86[] = {{"16-byte vectors", "-march=x86-64"}, {"AVX2", "-march=x86-64-v3"}};

  double fewest = 1, most_equal = 0, largest = 0;
  std::printf("Numbers of aarch64 with the bits of x86-64, after one and after five steps of each network\n");
  for (const std::string name : {"train", "residual"}) {
    CAPTURE(name);
    const std::vector<double> arm = parameters(folder, name, gcc, "-ffp-contract=off", emulator);
    CHECK(same(parameters(folder, name, gcc, "-O3 -ffp-contract=fast", emulator), arm));
    if (both) CHECK(same(parameters(folder, name, clang, "-ffp-contract=fast", emulator), arm));
    for (const auto& other : x86) {
      CAPTURE(other.name);
      if (std::strcmp(other.name, "AVX2") == 0 && (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")))
        continue;
      const std::vector<double> want = parameters(folder, name, "g++", other.flags);
      REQUIRE(want.size() == arm.size());
      std::size_t equal = 0;
      double most = 0;
      for (std::size_t i = 0; i < arm.size(); ++i) {
        equal += std::memcmp(&arm[i], &want[i], sizeof arm[i]) == 0;
        most = std::fmax(most, std::fabs(arm[i] - want[i]));
      }
      std::printf("  %-9s %-16s %6zu of %6zu, the others differ by at most %.1e\n", name.c_str(), other.name, equal,
                  arm.size(), most);
      const double share = static_cast<double>(equal) / static_cast<double>(arm.size());
      fewest = std::fmin(fewest, share);
      most_equal = std::fmax(most_equal, share);
      largest = std::fmax(largest, most);
      CHECK(sinter_test::norm_error(arm, want) < 1e-6);
    }
  }
  char row[300];
  std::snprintf(
      row, sizeof row,
      "aarch64 Linux: NEON | g++ @aarch64-linux-gnu-g++@, clang @clang++-19@ | QEMU @qemu-aarch64@ | "
      "%.0f to %.0f %% of the numbers as on x86-64, the others within 1e%.0f; the same by both compilers, for any "
      "`-ffp-contract`",
      std::floor(100 * fewest), std::ceil(100 * most_equal), std::ceil(std::log10(largest)));
  if (both) platform("processors", row);
}
