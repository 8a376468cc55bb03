// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>

/// What the programs of C++ peers share: NAME version prints the rows that it has, NAME ROW SECONDS measures one, as JSON.
using PeerRows = std::map<std::string, std::function<double(double)>>;

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Microseconds a call of work(), over at least so many seconds of a clock.
template <class Work>
double measure(double seconds, Work&& work, double (*now)() = wall_seconds) {
  for (int i = 0; i < 2; ++i) work();
  long calls = 0;
  const double begin = now();
  do {
    work();
    ++calls;
  } while (now() - begin < seconds);
  return (now() - begin) / static_cast<double>(calls) * 1e6;
}

/// The end of main(): does what the command line asks for, and returns the exit status.
inline int run_rows(int count, char** words, const PeerRows& rows, const std::string& version) {
  if (count == 2 && std::string(words[1]) == "version") {
    std::printf("{\"version\": \"%s\", \"rows\": [", version.c_str());
    const char* between = "";
    for (const auto& row : rows) {
      std::printf("%s\"%s\"", between, row.first.c_str());
      between = ", ";
    }
    std::printf("]}\n");
    return 0;
  }
  const auto row = count == 3 ? rows.find(words[1]) : rows.end();
  if (row == rows.end()) {
    std::fprintf(stderr, "%s: give it version, or a row and seconds\n", words[0]);
    return 2;
  }
  std::printf("{\"us\": %.6g}\n", row->second(std::atof(words[2])));
  return 0;
}
