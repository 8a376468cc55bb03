// SPDX-License-Identifier: MIT
// labels: slow optimised unsanitized
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bitwise/built.hpp"
#include "support/sanitized.hpp"

// Networks in 8 bits by the instructions of several processors: the same bits everywhere. The program fails if it uses
// others than those expected. SINTER_FIXTURES is where it is found from.
using namespace bitwise;

TEST_CASE("8 bits on x86-64, aarch64 and WebAssembly") {
#if !defined(__x86_64__)
  skip("other processors are compared with x86-64");
#endif
  if (sinter_test::sanitized) skip("processors are compared without sanitizers");
  const std::string arm = "aarch64-linux-gnu-g++", arm_clang = "clang++-19 --target=aarch64-linux-gnu";
  const std::string qemu = "qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu ";
  const std::string wasm = "clang++-19 --target=wasm32-wasi -stdlib=libc++ -fno-exceptions";
  const std::string node = "node --no-warnings " + tests + "/bitwise/node.mjs";
  const std::string includes = "echo '#include <vector>' | " + wasm + " -x c++ - -fsyntax-only 2> /dev/null";
  if (!exists(arm) || !exists("qemu-aarch64")) skip("no cross compiler for aarch64, or no QEMU: ./setup --platforms");
  if (!exists("node") || !exists("clang++-19") || !exists("wasm-ld-19") || std::system(includes.c_str()) != 0)
    skip("no clang 19 with WASI's libraries, or no node: ./setup --platforms");

  const struct {
    std::string compiler, flags, emulator, instructions;
  } others[] = {
      {"g++", "-march=x86-64-v3", "", "AVX2"},
      {"clang++-19", "-march=x86-64-v3 -ffp-contract=fast", "", "AVX2"},
      {arm, "", qemu + "cortex-a53", "NEON"},
      {arm, "-march=armv8.2-a+dotprod", qemu + "cortex-a76", "NEON dot product"},
      {arm, "-march=armv8.2-a+dotprod+i8mm", qemu + "max", "NEON i8mm"},
      {arm_clang, "", qemu + "cortex-a53", "NEON"},
      {arm_clang, "-march=armv8.2-a+dotprod", qemu + "cortex-a76", "NEON dot product"},
      {arm_clang, "-march=armv8.2-a+dotprod+i8mm", qemu + "max", "NEON i8mm"},
      {wasm, "", node, "plain"},
      {wasm, "-msimd128", node, "WebAssembly SIMD"},
  };
  const Folder folder("int8");
  const std::string warnings = " -Wall -Wextra -Wconversion -Werror";
  const std::vector<double> want = parameters(folder, "int8", "g++", "-march=x86-64" + warnings, "", " plain");
  for (const auto& other : others) {
    if (other.instructions == "AVX2" && !__builtin_cpu_supports("avx2")) continue;
    CAPTURE(other.compiler);
    CAPTURE(other.flags);
    CAPTURE(other.instructions);
    CHECK(same(parameters(folder, "int8", other.compiler, other.flags + warnings, other.emulator,
                          " '" + other.instructions + "'"),
               want));
  }
}
