// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either all weights of a model, packed, or refused; nothing beyond them is read. An odd
// first byte has the fingerprint of the model put where a header has it, which cannot be guessed.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sinter/inference.hpp>

namespace {
struct Net : sinter::Sequential<sinter::Input<3>, sinter::Linear<2>, sinter::ReLU, sinter::Linear<2>> {};
constexpr auto size_of(sinter::Storage storage) { return sinter::internal::detail::StoragePlan<Net>::size(storage); }
/// By weights in place.
template <sinter::Storage Kind>
void forward(std::span<const std::byte> packed) {
  static sinter::FixedWorkspace<Net, 1> workspace;
  constexpr float x[] = {1, 2, 3};
  sinter::View<Net, Kind>(packed).forward(std::span<const float, 3>(x), workspace);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t length = size - 1;
  const auto memory = std::make_unique<std::byte[]>(length);  // as long as the file: reads beyond it are found
  std::memcpy(memory.get(), data + 1, length);
  sinter::internal::detail::PackedHeader header;
  header.fingerprint = sinter::internal::fingerprint<Net>;
  if (data[0] % 2 != 0 && length >= 16)
    std::memcpy(memory.get(), &header, offsetof(sinter::internal::detail::PackedHeader, storage));
  const std::span<const std::byte> packed(memory.get(), length);
  try {
    const auto parts = sinter::internal::detail::parts_of_packed<Net>(packed);
    const auto [numbers, floats] = size_of(parts.storage);
    const auto* const end = packed.data() + packed.size();
    if (parts.numbers + numbers * sinter::internal::detail::bytes_of(parts.storage) > end ||
        parts.floats + floats * sizeof(float) > end)
      std::abort();
    const auto weights = std::make_unique<sinter::Unpacked<Net>>(packed);
    float sum = 0;
    for (int i = 0; i < sinter::internal::Program<Net>::storage_size; ++i) sum += weights->data()[i];
    volatile float kept = sum;
    static_cast<void>(kept);
    if (parts.storage == sinter::Storage::float16) forward<sinter::Storage::float16>(packed);
    if (parts.storage == sinter::Storage::int8) forward<sinter::Storage::int8>(packed);
    if (parts.storage == sinter::Storage::panels) forward<sinter::Storage::panels>(packed);
    if (parts.storage == sinter::Storage::float32 &&
        sinter::View<Net>(packed).data() != reinterpret_cast<const float*>(parts.numbers))
      std::abort();
  } catch (const sinter::Error&) {
  }
  return 0;
}
