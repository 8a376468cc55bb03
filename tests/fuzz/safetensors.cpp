// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either a safetensors file, whole, or refused; what is read can be written and read
// again; and a network takes it, with its metadata, or refuses it and stays as it was.
#include <cstdlib>
#include <cstring>
#include <sinter/io.hpp>
#include <sinter/layers/linear.hpp>

namespace {
struct Net : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const sinter::internal::TensorFile file = sinter::parse_safetensors(bytes);
    std::size_t total = 0;
    for (const auto& tensor : file.tensors) total += tensor.bytes.size();
    const auto again = sinter::safetensors_bytes(file.tensors, file.metadata);
    const sinter::internal::TensorFile second = sinter::parse_safetensors(again);
    if (second.tensors.size() != file.tensors.size() || second.metadata != file.metadata || total + 8 > size)
      std::abort();
  } catch (const sinter::Error&) {
  }
  static sinter::Network<Net, sinter::Reference> net;
  const auto before = net.to_host();
  for (const bool partial : {false, true}) {
    try {
      sinter::load(net, bytes, {.partial = partial, .checksum = partial, .allow_nan = partial});
    } catch (const sinter::Error&) {
      if (std::memcmp(net.data(), before.data(), before.size() * sizeof(float)) != 0) std::abort();
    }
    net.from_host(before);
  }
  return 0;
}
