// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either an IDX file, whole, or refused.
#include <cstdlib>
#include <sinter/data/idx.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sinter::internal::IdxFile file = sinter::parse_idx({data, size});
    std::uint64_t product = 1;
    for (const auto n : file.dims) product *= n;
    const bool whole = (file.dims.size() == 1 || file.dims.size() == 3) && product == file.bytes.size() &&
                       size == 4 + 4 * file.dims.size() + file.bytes.size() && product > 0;
    if (!whole) std::abort();
  } catch (const sinter::Error&) {
  }
  return 0;
}
