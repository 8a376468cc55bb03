// SPDX-License-Identifier: MIT
// labels: slow optimised unsanitized
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bitwise/built.hpp"
#include "support/sanitized.hpp"

// WebAssembly by clang, in node and Wasmtime: the same bits as x86-64 in vectors of 16 bytes, and files are read and
// written. SINTER_FIXTURES is where the programs are found from.
using namespace bitwise;

TEST_CASE("WebAssembly and x86-64") {
#if !defined(__x86_64__)
  skip("WebAssembly is compared with x86-64");
#endif
  if (sinter_test::sanitized) skip("processors are compared without sanitizers");
  const std::string clang = "clang++-19 --target=wasm32-wasi -stdlib=libc++ -fno-exceptions -msimd128";
  const std::string node = "node --no-warnings " + tests + "/bitwise/node.mjs";
  const std::string python = tests + "/io/pytorch/python.sh wasmtime ";
  const std::string includes = "echo '#include <vector>' | " + clang + " -x c++ - -fsyntax-only 2> /dev/null";
  if (!exists("node") || !exists("clang++-19") || !exists("wasm-ld-19") || std::system(includes.c_str()) != 0)
    skip("no clang 19 with WASI's libraries, or no node: ./setup --platforms");
  const Folder folder("webassembly");
  const std::string version = (folder.path / "version").string();
  const bool both = std::system((python + tests + "/bitwise/in_wasmtime.py --version > " + version).c_str()) == 0;
  if (!both) MESSAGE("not run in Wasmtime, which ./setup --python installs");
  const std::string flags = "-O2 -Wall -Wextra -Wconversion -Werror";
  for (const std::string name : {"train", "residual", "digits"}) {
    CAPTURE(name);
    const std::string data = name == "digits" ? " " SINTER_MNIST_SUBSET : "";
    const std::vector<double> want = parameters(folder, name, "g++", "-march=x86-64", "", data);
    const std::string compiled = program(folder, name, clang, flags, name + ".wasm");
    CHECK(same(written(folder, node + " " + compiled, data), want));
    if (both) CHECK(same(written(folder, python + tests + "/bitwise/in_wasmtime.py " + compiled, data), want));
  }
  if (!both) return;
  std::ifstream said(version);
  std::string number;
  std::getline(said, number, '.');
  platform("webassembly", "WebAssembly with SIMD128, WASI | clang @clang++-19@ | node @node@, Wasmtime " + number +
                              " | those of x86-64 in vectors of 16 bytes");
}
