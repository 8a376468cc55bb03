// SPDX-License-Identifier: MIT
// labels: slow
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/gradient_check.hpp"
#include "support/sanitized.hpp"

// The programs of program/ by several compilers and flags: the same bits on one instruction set, and nearly the same
// numbers on another.
namespace {

const std::string tests = std::filesystem::path(SINTER_FIXTURES).parent_path().string();

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("sinter_bitwise_" + std::to_string(std::hash<std::string>{}(tests)));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
} folder;

/// Ends the program as Skipped. Only where nothing has been checked yet: a check that failed would be forgotten.
void skip(const std::string& why) {
  std::printf("SKIPPED: %s\n", why.c_str());
  std::exit(77);
}
bool exists(const std::string& compiler) { return std::system((compiler + " --version >/dev/null 2>&1").c_str()) == 0; }

/// What program/<name>.cpp writes: the parameters of [network][after 1 step, after 5].
std::vector<double> parameters(const std::string& name, const std::string& compiler, const std::string& flags) {
  const std::string program = (folder.path / name).string(), output = (folder.path / "parameters").string();
  const std::string build = compiler + " -std=c++20 -O2 " + flags + " -I " + tests + "/../include " + tests +
                            "/bitwise/program/" + name + ".cpp -o " + program + " -pthread";
  CAPTURE(build);
  REQUIRE(std::system(build.c_str()) == 0);
  REQUIRE(std::system((program + " " + output).c_str()) == 0);
  std::ifstream file(output, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  REQUIRE(bytes.size() % sizeof(double) == 0);
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  REQUIRE(all.size() > 1000);
  return all;
}
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE("compilers, contraction and instruction sets") {
  if (sinter_test::sanitized) skip("compilers are compared without sanitizers");
  if (!exists("g++")) skip("no g++");
  const bool clang = exists("clang++-19");
  if (!clang) MESSAGE("not compared: there is no clang++-19 here");
  for (const std::string name : {"train", "layers", "optimizers"}) {
    CAPTURE(name);
    const std::vector<double> want = parameters(name, "g++", "-march=native -ffp-contract=off");
    CHECK(same(parameters(name, "g++", "-march=native -ffp-contract=fast"), want));
    if (clang) {
      CHECK(same(parameters(name, "clang++-19", "-march=native -ffp-contract=off"), want));
      CHECK(same(parameters(name, "clang++-19", "-march=native -ffp-contract=fast"), want));
    }
#if defined(__x86_64__)
    for (const char* other : {"-march=haswell -ffp-contract=off", "-march=x86-64 -ffp-contract=off"}) {
      CAPTURE(other);
      if (name != "train") continue;
      if (std::strstr(other, "haswell") && (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")))
        continue;
      const std::vector<double> got = parameters(name, "g++", other);
      REQUIRE(got.size() == want.size());
      CHECK(sinter_test::norm_error(got, want) < 1e-6);
    }
#endif
  }
}
