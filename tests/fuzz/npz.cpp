// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either a .npz file of plain numbers, whole, or refused; what is read can be written and read
// again.
#include <cstdlib>
#include <sinter/io/npz.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sinter::NpzArrays file = sinter::parse_npz(std::as_bytes(std::span(data, size)));
    std::size_t total = 0;
    std::vector<sinter::internal::NamedTensor> tensors;
    for (const auto& [name, array] : file.arrays) {
      total += array.bytes.size();
      tensors.push_back({name, array.type, array.shape, array.bytes});
    }
    if (total > 1032 * size) std::abort();
    if (sinter::parse_npz(sinter::npz_bytes(tensors)).arrays.size() != file.arrays.size()) std::abort();
  } catch (const sinter::Error&) {
  }
  return 0;
}
