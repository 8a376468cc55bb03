// SPDX-License-Identifier: MIT
// labels: slow
#include <doctest/doctest.h>

#include <string>

#include "bitwise/built.hpp"
#include "support/sanitized.hpp"

// WebAssembly by clang and node: the same bits as x86-64 in vectors of 16 bytes, and files are read and written.
// SINTER_FIXTURES is where the programs are found from.
using namespace bitwise;

TEST_CASE("WebAssembly and x86-64") {
#if !defined(__x86_64__)
  skip("WebAssembly is compared with x86-64");
#endif
  if (sinter_test::sanitized) skip("processors are compared without sanitizers");
  const Folder folder("webassembly");
  const std::string clang = "clang++-19 --target=wasm32-wasi -stdlib=libc++ -fno-exceptions -msimd128";
  const std::string node = "node --no-warnings " + tests + "/bitwise/node.mjs";
  const std::string includes = "echo '#include <vector>' | " + clang + " -x c++ - -fsyntax-only 2> /dev/null";
  if (!exists("node") || !exists("clang++-19") || !exists("wasm-ld-19") || std::system(includes.c_str()) != 0)
    skip("no clang 19 with WASI's libraries, or no node: ./setup --platforms");
  const std::string warnings = "-Wall -Wextra -Wconversion -Werror";
  for (const std::string name : {"train", "digits"}) {
    CAPTURE(name);
    const std::string data = name == "digits" ? " " SINTER_MNIST_SUBSET : "";
    CHECK(same(parameters(folder, name, clang, warnings, node, data),
               parameters(folder, name, "g++", "-march=x86-64 " + warnings, "", data)));
  }
  platform(
      "webassembly",
      "WebAssembly with SIMD128, WASI | clang @clang++-19@ | node @node@ | those of x86-64 in vectors of 16 bytes");
}
