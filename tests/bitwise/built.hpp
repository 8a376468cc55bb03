// SPDX-License-Identifier: MIT
#pragma once

// Programs of program/ by several compilers, for one processor or another.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bitwise {

inline const std::string tests = std::filesystem::path(SINTER_FIXTURES).parent_path().string();

/// A folder for one test, removed in the end.
struct Folder {
  std::filesystem::path path;
  explicit Folder(const std::string& test)
      : path(std::filesystem::temp_directory_path() /
             ("sinter_bitwise_" + test + "_" + std::to_string(std::hash<std::string>{}(tests)))) {
    std::filesystem::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
};

/// Ends the program as Skipped. Only where nothing has been checked yet: a check that failed would be forgotten.
[[noreturn]] inline void skip(const std::string& why) {
  std::printf("SKIPPED: %s\n", why.c_str());
  std::exit(77);
}
inline bool exists(const std::string& program) {
  return std::system((program + " --version >/dev/null 2>&1").c_str()) == 0;
}

/// Compiles program/<name>.cpp to a program in the folder, linked with libraries.
inline std::string program(const Folder& folder, const std::string& name, const std::string& compiler,
                           const std::string& flags, const std::string& to, const std::string& libraries = "") {
  const std::string path = (folder.path / to).string();
  const std::string threads = compiler.find("wasm32") == compiler.npos ? " -pthread" : "";
  // Compiled apart from linking, as a cache of objects needs.
  const std::string build = compiler + " -std=c++20 " + flags + " -I " + tests + "/../include -c " + tests +
                            "/bitwise/program/" + name + ".cpp -o " + path + ".o" + threads + " && " + compiler + " " +
                            path + ".o " + libraries + " -o " + path + threads;
  CAPTURE(build);
  REQUIRE(std::system(build.c_str()) == 0);
  return path;
}

/// What a program writes to the file named by its first argument: the parameters of [network][after 1 step, after 5].
inline std::vector<double> written(const Folder& folder, const std::string& run, const std::string& arguments) {
  const std::string output = (folder.path / "parameters").string();
  std::filesystem::remove(output);
  REQUIRE(std::system((run + " " + output + arguments).c_str()) == 0);
  std::ifstream file(output, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  REQUIRE(bytes.size() % sizeof(double) == 0);
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  REQUIRE(all.size() > 1000);
  return all;
}
/// What program/<name>.cpp writes, linked with `libraries`. `emulator` runs the program.
inline std::vector<double> parameters(const Folder& folder, const std::string& name, const std::string& compiler,
                                      const std::string& flags, const std::string& emulator = "",
                                      const std::string& arguments = "", const std::string& libraries = "") {
  const std::string end = compiler.find("mingw") == compiler.npos ? "" : ".exe";
  const std::string run = program(folder, name, compiler, "-O2 " + flags, name + end, libraries);
  return written(folder, emulator + " " + run, arguments);
}
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// For the table of platforms in docs/installing.md (tests/documentation/platforms.py): what was compiled by what, what
/// ran it, and which bits it gave. @program@ stands for the version of a program.
inline void platform(const char* test, const std::string& row) {
  if (const char* rows = std::getenv("SINTER_PLATFORMS"))
    std::ofstream(std::filesystem::path(rows) / test) << row << "\n";
}

}  // namespace bitwise
