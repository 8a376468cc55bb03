// SPDX-License-Identifier: MIT
// labels: slow optimised unsanitized
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "bitwise/built.hpp"
#include "support/sanitized.hpp"

// Windows by mingw-w64 and Wine: the same bits as on Linux, files that are replaced and locked, names that are not
// ASCII, and a model library as a DLL. SINTER_FIXTURES is where the programs are found from.
using namespace bitwise;

namespace {

int run(const std::string& command) { return std::system(command.c_str()); }

/// Wine with a folder of its own, where its server ends with this.
struct Wine {
  std::string settings, program;
  ~Wine() {
    const std::string server = settings + "$(dirname $(readlink -f $(command -v " + program + ")))/wineserver";
    run(server + " -k; " + server + " -w");
  }
};

/// What parts.cpp computes, with a library of consumers/model_library that is linked as systems do it.
std::vector<double> parts(const Folder& folder, const std::string& compiler, const std::string& flags,
                          const std::string& library, const std::string& exports, const std::string& emulator = "") {
  const std::string place = folder.path.string(), path = place + "/" + library;
  const std::string build = compiler + " -std=c++20 " + flags + " -DSINTER_LIBRARY_NAME=digits -I " + tests +
                            "/../include -c " + tests + "/consumers/model_library/digits.cpp -o " + path + ".o && " +
                            compiler + " -shared " + path + ".o " + exports + " -o " + path;
  CAPTURE(build);
  REQUIRE(run(build) == 0);
  return parameters(folder, "parts", compiler, flags + " -I " + place, emulator, "", path + " -Wl,-rpath," + place);
}

}  // namespace

TEST_CASE("Windows and Linux") {
#if !defined(__x86_64__)
  skip("Windows is compared with Linux on x86-64");
#endif
  if (sinter_test::sanitized) skip("platforms are compared without sanitizers");
  const std::string gcc = "x86_64-w64-mingw32-g++-posix";
  std::string wine;
  for (const char* name : {"wine64", "/usr/lib/wine/wine64", "wine"})
    if (wine.empty() && exists(name)) wine = name;
  if (!exists(gcc) || wine.empty()) skip("no mingw-w64, or no Wine: ./setup --platforms");
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) skip("this machine has no AVX2");

  const Folder folder("windows");
  const std::string place = folder.path.string(), avx2 = "-O1 -march=x86-64-v3 -Wall -Wextra -Wconversion -Werror";
  const std::string include = " -std=c++20 -I " + tests + "/../include ";

  // Without what makes moves of 32 bytes unaligned, g++ for Windows is refused.
  const std::string refused = "echo '#include <sinter/sinter.hpp>' | " + gcc + include +
                              "-march=x86-64-v3 -x c++ - -c -o " + place + "/refused.o > " + place + "/said 2>&1";
  CHECK(run(refused) != 0);
  CHECK(run("grep -q 'g++ for Windows misaligns vectors of 32 bytes' " + place + "/said") == 0);

  const Wine emulator{
      "env WINEPREFIX=" + place + "/wine WINEDEBUG=-all " + "WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=' ",
      wine};
  const std::string moves = " -Wa,-muse-unaligned-vector-move -DSINTER_UNALIGNED_MOVES";
  const std::vector<double> windows =
      parameters(folder, "files", gcc + " -static", avx2 + moves, emulator.settings + wine);
  // Under Wine a stack begins where such moves do no harm; on Windows it may not.
  const std::string program = place + "/files.exe";
  REQUIRE(run("test -s " + program) == 0);
  CHECK(run("x86_64-w64-mingw32-objdump -d " + program + " > " + place + "/code") == 0);
  CHECK(run("grep -qE 'vmov(ups|upd|dqu).*%ymm' " + place + "/code") == 0);
  CHECK(run("grep -E 'vmov(aps|apd|dqa).*%[yz]mm' " + place + "/code") != 0);

  CHECK(same(parameters(folder, "files", "g++", avx2), windows));

  // The other parts. Without a list of its functions, a DLL exports thousands of others.
  REQUIRE(run("sed s/@name@/digits/g " + tests + "/../cmake/model_library.h.in > " + place + "/digits.h") == 0);
  REQUIRE(run("(echo EXPORTS && grep -o 'digits_[a-z_]*(' " + place + "/digits.h | tr -d '(' | sort -u) > " + place +
              "/digits.def") == 0);
  const std::vector<double> other_parts =
      parts(folder, gcc + " -static", avx2 + moves, "digits.dll", place + "/digits.def", emulator.settings + wine);
  CHECK(same(parts(folder, "g++", avx2 + " -fPIC", "libdigits.so", ""), other_parts));
  platform("windows",
           "Windows on x86-64: AVX2 | mingw-w64's g++ @" + gcc + "@ | Wine @" + wine + "@ | those of x86-64 Linux");
}
