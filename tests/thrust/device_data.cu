// SPDX-License-Identifier: MIT
// Thrust and CUB on a GPU. Skipped, 77, without one.
#include "device_data.hpp"

int main() {
  using namespace sinter_test;
  if (sinter::cuda_devices().empty()) {
    std::printf("skipped: there is no GPU here\n");
    return 77;
  }
  device_data::run_without_rows();
  for (const std::size_t rows : {1u, 7u, 1000u, 20000u}) device_data::run(rows);
  for (const std::size_t rows : {1u, 7u, 300u}) device_data::run_pictures(rows);
  return device_data::wrong != 0;
}
