// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either a file of a quantized network, or refused; and any numbers with a right
// checksum are either refused or computed without overflow, with the same outputs by all instructions.
#include <cstdlib>
#include <cstring>
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
#include <vector>

namespace {

using namespace sinter::internal;

struct Net : Sequential<Input<2, 5, 4>, Conv2d<3, 2>, Tanh,
                        Concat<Path<>, Path<AvgPool2d<2, Stride<1>, Padding<1>>, Conv2d<2, 2>>>,
                        Residual<Path<Conv2d<5, 1>>>, Product<Path<>, Path<Conv2d<5, 1>>>, Flatten, Linear<2>> {};

std::vector<float> outputs(const auto& net, const Tensor<float, Net::InputRow>& rows) {
  auto workspace = net.workspace(rows.rows());
  const auto y = net.forward(rows, workspace);
  return {y.data, y.data + 2 * y.rows};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Tensor<float, Net::InputRow> rows = [] {
    Tensor<float, Net::InputRow> all(3);
    for (std::size_t i = 0; i < all.values().size(); ++i) all.values()[i] = static_cast<float>(i % 7) - 3;
    return all;
  }();
  static const std::vector<std::byte> file = save_bytes(quantize(Network<Net, Reference>{{.seed = 1}}, rows));
  try {
    outputs(load_quantized<Net>(std::as_bytes(std::span(data, size))), rows);
  } catch (const Error&) {
  }

  // The first two bytes say where in the tensors the others go.
  if (size < 3) return 0;
  TensorFile parsed = parse_safetensors(file);
  std::vector<std::vector<std::byte>> copies;
  std::size_t skip = (data[0] + 256u * data[1]) % file.size();
  for (auto& tensor : parsed.tensors) {
    copies.emplace_back(tensor.bytes.begin(), tensor.bytes.end());
    for (std::size_t i = 0; i < copies.back().size(); ++i) {
      if (skip > 0)
        --skip;
      else if (size > 2)
        copies.back()[i] = static_cast<std::byte>(data[--size]);
    }
    tensor.bytes = copies.back();
  }
  const auto model = int8::facts<Net>();
  int8::FileTensors tensors(model);
  tensors.take(parsed.tensors, "it");
  std::erase_if(parsed.metadata, [](const auto& entry) { return entry.first == detail::key_checksum; });
  for (auto& [key, text] : parsed.metadata)
    if (key == int8::key_checksum) text = int8::digits_of(tensors.checksum());
  try {
    const auto net = load_quantized<Net>(safetensors_bytes(parsed.tensors, parsed.metadata));
    const auto y = outputs(net, rows), plain = outputs(QuantizedNetwork<Net, int8::Plain>(net), rows);
    if (std::memcmp(y.data(), plain.data(), y.size() * sizeof(float)) != 0) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
