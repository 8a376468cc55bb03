// SPDX-License-Identifier: MIT
// bare LIBRARY WEIGHTS ROWS THREADS SECONDS: rows a second that a model library computes in passes of ROWS rows, without a server, and
// the microseconds of a processor for each row.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <thread>
#include <vector>

#include "model_library.hpp"

int main(int count, char** values) try {
  if (count != 6) return std::fprintf(stderr, "usage: bare LIBRARY WEIGHTS ROWS THREADS SECONDS\n"), 2;
  const sinter_serve::ModelLibrary library(values[1]);
  const auto weights = library.open(values[2]);
  const std::size_t rows = std::strtoul(values[3], nullptr, 10), threads = std::strtoul(values[4], nullptr, 10);
  const std::clock_t used = std::clock();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(values[5]));
  const auto began = std::chrono::steady_clock::now();
  std::atomic<std::size_t> done = 0;
  const auto work = [&] {
    const std::vector<float> x(rows * library.tensors().inputs, 0.5f);
    std::vector<float> y(rows * library.tensors().outputs);
    auto* const workspace = library.workspace_open(weights.get());
    while (std::chrono::steady_clock::now() < end) {
      if (library.predict_in(weights.get(), x.data(), rows, workspace, y.data()) != 0)
        sinter::internal::fail(library.error());
      done += rows;
    }
    library.workspace_close(workspace);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (auto& other : others) other.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  const auto rows_done = static_cast<double>(done.load());
  std::printf("%.1f %.2f\n", rows_done / seconds, 1e6 * processor / rows_done);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bare: %s\n", error.what());
  return 1;
}
