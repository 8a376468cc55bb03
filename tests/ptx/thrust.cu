// SPDX-License-Identifier: MIT
// Thrust and CUB as nvcc compiles them: their PTX, run thread by thread.
#include <exception>

#include "support/ptx/gpu.hpp"
#include "thrust/device_data.hpp"

int main() {
  using namespace sinter_test;
  ptx::Gpu gpu;
  try {
    device_data::run_without_rows();
    for (const std::size_t rows : {1u, 7u, 1000u, 20000u}) device_data::run(rows);
    for (const std::size_t rows : {1u, 7u, 300u}) device_data::run_pictures(rows);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    ++device_data::wrong;
  }
  for (const std::string& fault : gpu.faults()) std::printf("refused: %s\n", fault.c_str());
  return device_data::wrong == 0 && gpu.faults().empty() ? 0 : 1;
}
