// SPDX-License-Identifier: MIT
// labels: slow optimised unsanitized
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bitwise/built.hpp"
#include "support/gradient_check.hpp"
#include "support/sanitized.hpp"

// The programs of program/ by several compilers and flags: the same bits on one instruction set, and nearly the same
// numbers on another. SINTER_FIXTURES is where they are found from.
using namespace bitwise;

TEST_CASE("compilers, contraction and instruction sets") {
  if (sinter_test::sanitized) skip("compilers are compared without sanitizers");
  if (!exists("g++")) skip("no g++");
  const bool clang = exists("clang++-19");
  if (!clang) MESSAGE("not compared: there is no clang++-19 here");
  const Folder folder("compilers");
  for (const std::string name : {"train", "layers", "optimizers"}) {
    CAPTURE(name);
    const std::vector<double> want = parameters(folder, name, "g++", "-march=native -ffp-contract=off");
    if (name != "optimizers") CHECK(same(parameters(folder, name, "g++", "-march=native -ffp-contract=fast"), want));
    if (clang) CHECK(same(parameters(folder, name, "clang++-19", "-march=native -ffp-contract=fast"), want));
    if (clang && name == "train")
      CHECK(same(parameters(folder, name, "clang++-19", "-march=native -ffp-contract=off"), want));
#if defined(__x86_64__)
    for (const char* other : {"-march=haswell -ffp-contract=off", "-march=x86-64 -ffp-contract=off"}) {
      CAPTURE(other);
      if (name != "train") continue;
      if (std::strstr(other, "haswell") && (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")))
        continue;
      const std::vector<double> got = parameters(folder, name, "g++", other);
      REQUIRE(got.size() == want.size());
      CHECK(sinter_test::norm_error(got, want) < 1e-6);
    }
#endif
  }
#if defined(__x86_64__)
  if (clang)
    platform("compilers",
             "x86-64 Linux: 16-byte vectors, AVX2, `-march=native` | g++ @g++@, clang @clang++-19@ | itself | "
             "the same by both compilers, for any `-ffp-contract`; vectors of other lengths within 1e-6");
#endif
}
