// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either a .npy file of plain numbers, whole, or refused; what is read can be written and read
// again.
#include <cstdlib>
#include <sinter/io/npy.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sinter::NpyArray array = sinter::parse_npy(std::as_bytes(std::span(data, size)));
    const sinter::NpyArray again =
        sinter::parse_npy(sinter::internal::detail::npy_file({"", array.type, array.shape, array.bytes}));
    if (again.shape != array.shape || again.bytes != array.bytes || array.bytes.size() > size) std::abort();
    if (sinter::internal::is_integer(array.type)) array.values<std::uint8_t>();
    if (array.values<double>().size() > size) std::abort();
  } catch (const sinter::Error&) {
  }
  return 0;
}
