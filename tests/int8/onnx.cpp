// SPDX-License-Identifier: MIT
#include <cstdint>
#include <filesystem>
#include <sinter/data/read_file.hpp>
#include <string>

#include "int8/networks.hpp"
#include "support/error_of.hpp"

using namespace sinter_test;

namespace {

struct Net
    : Sequential<Input<2, 7, 6>, Conv2d<5, 3>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Flatten, Linear<3>, LogSoftmax> {};
struct Shares : Sequential<Input<1, 7, 5>, AdaptiveAvgPool2d<2, 3>, Flatten, Linear<3>> {};
template <class... Layers>
struct Named0 : Sequential<Inputs<Named<"scale0", Input<2>>, Named<"b", Input<3>>>, Layers...> {};

struct File {
  std::string path = (std::filesystem::temp_directory_path() / "sinter_int8.onnx").string();
  File() { std::filesystem::remove(path); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path); }
  std::string text() const {
    const auto bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};
int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("operators between numbers of 8 bits, and the bytes of the weights") {
  const File file;
  const auto quantized = quantize(network_of<Net>(), rows_of<Net>(30));
  export_onnx(quantized, file.path);
  const std::string text = file.text();
  // A node has its name, "Conv_3", and its operator.
  for (const char* const once : {"Conv", "Gemm", "MaxPool", "Relu", "Flatten", "LogSoftmax"}) {
    CAPTURE(once);
    CHECK(count(text, std::string(once) + "_") == 1);
  }
  CHECK(count(text, "QuantizeLinear_") == 4);    // the input, and what Conv, MaxPool and Gemm give
  CHECK(count(text, "DequantizeLinear_") == 8);  // the same, two weights and two biases
  CHECK(count(text, "BatchNormalization") == 0);
  const auto model = internal::int8::facts<Net>();
  const internal::int8::Constants constants(*quantized.data());
  for (const auto& product : internal::int8::named_products(model)) {
    const auto numbers = internal::int8::numbers_of(model, product, constants);
    CHECK(count(text, {reinterpret_cast<const char*>(numbers.weight.data()), numbers.weight.size()}) == 1);
    std::string bias;  // little-endian
    for (const std::int32_t number : numbers.bias)
      for (int i = 0; i < 4; ++i) bias += static_cast<char>(number >> 8 * i & 255);
    CHECK(count(text, bias) == 1);
  }
  export_onnx(QuantizedNetwork<Net, internal::int8::Plain>(quantized), file.path);
  CHECK(file.text() == text);
}

TEST_CASE("what ONNX does not have") {
  const File file;
  const auto shares = quantize(network_of<Shares>(), rows_of<Shares>(9));
  CHECK(error_of([&] {
          export_onnx(shares, file.path);
        }).ends_with("whose windows differ in size; let its adaptive pool divide its images"));
  const auto named = quantize(network_of<Named0<Linear<2>>>(), rows_of<Named0<Linear<2>>>(9));
  CHECK(error_of([&] { export_onnx(named, file.path); }) ==
        "an ONNX file has a value \"scale0\" of its own; give the input of that name another one");
  CHECK(error_of([&] { export_onnx(named, file.path, {.classes = {"a"}}); }) ==
        "names of 1 classes were given for a network with 2 outputs; give one for each");
  CHECK(!error_of([&] { export_onnx(shares, file.path, {.normalize = Normalize{.scale = 0}}); }).empty());
  CHECK(!error_of([&] { save_bytes(shares, {.normalize = Normalize{.shift = NAN}}); }).empty());
  CHECK(!std::filesystem::exists(file.path));
}
