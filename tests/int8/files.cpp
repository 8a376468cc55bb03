// SPDX-License-Identifier: MIT
#include <filesystem>
#include <sinter/io/load.hpp>
#include <sinter/io/save.hpp>
#include <string>

#include "int8/networks.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"

using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 7, 6>, Conv2d<5, 3, Stride<2>, Padding<1>>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Flatten,
                        Linear<3>> {};
struct Other : Sequential<Input<2, 7, 6>, Conv2d<5, 3, Stride<2>, Padding<1>>, BatchNorm2d<>, Tanh, MaxPool2d<2>,
                          Flatten, Linear<3>> {};
struct Perceptron : Sequential<Input<13>, Linear<17>, ReLU, Linear<33>, Tanh, Linear<1, NoBias>> {};
struct Shapes : Sequential<Input<4, 8, 7>, BatchNorm2d<>, Conv2d<4, 3, Padding<1>, Groups<4>>, PReLU<PerChannel>,
                           Conv2d<18, Kernel<3, 2>, Dilation<1, 2>, Groups<2>>, PReLU<>,
                           Residual<Path<Conv2d<18, 1, NoBias>, BatchNorm2d<NoAffine>, ReLU>>,
                           Concat<Path<AvgPool2d<2>>, Path<MaxPool2d<2>, Sigmoid>>,
                           Product<Path<Conv2d<5, 1>, Sigmoid>, Path<Conv2d<5, 1>>>, Flatten, BatchNorm1d<NoAffine>,
                           Linear<6>, Softmax> {};
struct Series : Sequential<Input<2, 23>, Conv1d<6, 3, Causal>, ReLU, Conv1d<9, 4, Stride<3>>, SiLU, MaxPool1d<2>,
                           Flatten, Linear<4>> {};
struct Windows
    : Sequential<Input<4, 11, 9>, Conv2d<6, Kernel<3, 2>, Stride<2, 1>, Padding<2, 1>>, Conv2d<18, 3, Groups<2>>, Tanh,
                 Conv2d<5, Kernel<1, 2>, Dilation<1, 2>>, Conv2d<5, Kernel<2, 3>, Groups<5>>, Flatten, Linear<3>> {};
struct Tower : Shared<Conv1d<3, 3, Padding<1>>, BatchNorm1d<>, Tanh> {};
struct Joined : Sequential<Input<1, 9, 9>, Conv2d<5, 3>, MaxPool2d<2>, Flatten, Linear<3>> {};
struct Twice : Sequential<Input<3, 9>, Tower, ReLU, Tower, Flatten, Linear<2>> {};

/// A folder that is removed again.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "sinter_int8_files";
  Folder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
template <class Model>
void check_same(const QuantizedNetwork<Model>& a, const QuantizedNetwork<Model>& b) {
  const auto &x = *a.data(), &y = *b.data();
  CHECK(same<std::int8_t>(x.weights, y.weights));
  CHECK(same<std::int32_t>(x.numbers, y.numbers));
  CHECK(same<std::uint8_t>(x.tables, y.tables));
  CHECK(same<internal::int8::OpNumbers>(x.ops, y.ops));
  CHECK(x.values == y.values);
  const auto rows = rows_of<Model>(9, 5);
  CHECK(same_bits(outputs_of(a, rows, 9), outputs_of(b, rows, 9)));
}
template <class Model>
void check_file() {
  const auto net = network_of<Model>();
  const auto quantized = quantize(net, rows_of<Model>(30));
  const std::vector<std::byte> bytes = save_bytes(quantized);
  CHECK(bytes == save_bytes(QuantizedNetwork<Model, internal::int8::Plain>(quantized)));
  check_same(load_quantized<Model>(bytes), quantized);
}

QuantizedNetwork<Net> quantized_net(std::uint64_t seed = 3) {
  return quantize(network_of<Net>(seed), rows_of<Net>(30));
}
/// A file whose checksum is right, with a tensor that was changed: change(bytes).
template <class Change>
std::vector<std::byte> changed_by(const std::vector<std::byte>& file, const std::string& name, const Change& change) {
  internal::TensorFile parsed = internal::parse_safetensors(file);
  std::vector<std::vector<std::byte>> copies;
  for (auto& tensor : parsed.tensors) {
    copies.emplace_back(tensor.bytes.begin(), tensor.bytes.end());
    if (tensor.name == name) change(copies.back());
    tensor.bytes = copies.back();
  }
  const auto model = internal::int8::facts<Net>();
  internal::int8::FileTensors tensors(model);
  tensors.take(parsed.tensors, "it");
  std::erase_if(parsed.metadata, [](const auto& entry) { return entry.first == internal::detail::key_checksum; });
  for (auto& [key, text] : parsed.metadata)
    if (key == internal::int8::key_checksum) text = internal::int8::digits_of(tensors.checksum());
  return internal::safetensors_bytes(parsed.tensors, parsed.metadata);
}
template <class T>
std::vector<std::byte> changed(const std::vector<std::byte>& file, const std::string& name, std::size_t at, T number) {
  return changed_by(file, name, [&](std::vector<std::byte>& bytes) {
    std::memcpy(bytes.data() + at * sizeof(T), &number, sizeof number);
  });
}
template <class T>
std::vector<std::byte> all_changed(const std::vector<std::byte>& file, const std::string& name, T number) {
  return changed_by(file, name, [&](std::vector<std::byte>& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) std::memcpy(bytes.data() + at, &number, sizeof number);
  });
}

}  // namespace

TEST_CASE("what is loaded has the bits of what was saved, by any instructions") {
  check_file<Net>();
  check_file<Perceptron>();
  check_file<Shapes>();
  check_file<Series>();
  check_file<Windows>();
  check_file<Twice>();
  check_file<Joined>();
}

TEST_CASE("a path, and the facts about the data") {
  const Folder folder;
  const std::string path = folder / "net.safetensors";
  const auto quantized = quantized_net();
  save(quantized, path, {.normalize = Normalize::pixels(0.5f, 0.25f), .classes = {"a", "b", "c"}});
  check_same(load_quantized<Net>(path), quantized);

  auto other = quantized_net(8);
  const Loaded loaded = load(other, path);
  check_same(other, quantized);
  CHECK(loaded.about.classes == std::vector<std::string>{"a", "b", "c"});
  CHECK(loaded.about.normalize.has_value());
  CHECK(loaded.problem().empty());
  CHECK(error_of([&] { load(other, path, {.partial = true}); }) ==
        "load was given .partial, .rename, .checksum or .allow_nan for a quantized network, whose file is taken whole; "
        "leave them out");
  for (const LoadOptions& options : {LoadOptions{.checksum = false}, LoadOptions{.allow_nan = true}})
    CHECK(has(error_of([&] { load(other, path, options); }), "leave them out"));
  CHECK(loaded.version == "0.1.0");
  CHECK(error_of([&] { save(quantized, path, {.classes = {"a"}}); }) ==
        "names of 1 classes were given for a network with 3 outputs; give one for each");
  CHECK(error_of([&] { save(quantized, folder / "no/net.safetensors"); }).find("no/net.safetensors") !=
        std::string::npos);
}

TEST_CASE("tensors have the names and the shapes of the float network's") {
  const std::vector<std::byte> bytes = save_bytes(quantized_net());
  const internal::TensorFile file = internal::parse_safetensors(bytes);
  std::string all;
  for (const auto& tensor : file.tensors)
    all += tensor.name + " " + std::string(name_of(tensor.type)) + " " + internal::shape_text(tensor.shape) + "\n";
  CHECK(all ==
        "0.weight_scale F64 [5]\n5.weight_scale F64 [3]\nvalues.scale F32 [7]\n0.bias I32 [5]\n5.bias I32 [3]\n"
        "ops.first I32 [6]\nops.second I32 [6]\nops.shift I32 [6]\nops.high U8 [6]\nops.low U8 [6]\n"
        "values.zero_point U8 [7]\n0.weight I8 [5, 2, 3, 3]\n5.weight I8 [3, 10]\n");
  for (const auto& [key, text] : file.metadata)
    if (key == internal::int8::key_checksum) CHECK(text == "000000005b142759");  // the same on every machine
}

TEST_CASE("weights are those of the float network, to half a step") {
  const auto net = network_of<Windows>();
  const std::vector<std::byte> bytes = save_bytes(quantize(net, rows_of<Windows>(30)));
  const internal::TensorFile file = internal::parse_safetensors(bytes);
  const auto read = [&]<class T>(std::vector<T> to, const std::string& name) {
    for (const auto& tensor : file.tensors)
      if (tensor.name == name) {
        to.resize(tensor.bytes.size() / sizeof(T));
        std::memcpy(to.data(), tensor.bytes.data(), tensor.bytes.size());
      }
    return to;
  };
  const auto input = static_cast<double>(read(std::vector<float>{}, "values.scale")[0]);
  int seen = 0;
  for (const auto& p : net.parameters()) {
    CAPTURE(p.name);
    const std::string name(p.name), layer = name.substr(0, name.find('.'));
    const auto scale = read(std::vector<double>{}, layer + ".weight_scale");
    if (name.ends_with(".weight")) {
      const auto weight = read(std::vector<std::int8_t>{}, name);
      REQUIRE(weight.size() == p.value.size());
      const std::size_t columns = weight.size() / scale.size();
      for (std::size_t i = 0; i < weight.size(); ++i)
        CHECK(std::abs(weight[i] - static_cast<double>(p.value[i]) / scale[i / columns]) <= 0.50001);
      ++seen;
    } else if (layer == "0") {  // in steps of the input, too
      const auto bias = read(std::vector<std::int32_t>{}, name);
      REQUIRE(bias.size() == p.value.size());
      for (std::size_t i = 0; i < bias.size(); ++i)
        CHECK(std::abs(bias[i] - static_cast<double>(p.value[i]) / (scale[i] * input)) <= 0.50001);
      ++seen;
    }
  }
  CHECK(seen == 6);
}

TEST_CASE("files of something else") {
  const auto quantized = quantized_net();
  const std::vector<std::byte> bytes = save_bytes(quantized);
  auto float_net = network_of<Net>();
  CHECK(error_of([&] { load_quantized<Net>(save_bytes(float_net)); }) ==
        "the safetensors data is no file of a quantized network: its metadata has no \"sinter.int8\"; load a float "
        "network into a Network, and quantize that");
  CHECK(has(error_of([&] { load(float_net, bytes); }), "0.weight of I8, expected F32, F64, F16 or BF16"));
  const std::string given = internal::int8::digits_of(internal::fingerprint<Net>),
                    wanted = internal::int8::digits_of(internal::fingerprint<Other>);
  CHECK(error_of([&] { load_quantized<Other>(bytes, {}, "net.bin"); }) ==
        "net.bin holds a quantized network of another model: its fingerprint is " + given + ", expected " + wanted +
            "; load it as the model that was saved, with the same layers and options");
  CHECK(error_of([&] { load_quantized<Net>("no/such/file"); }).find("no/such/file") != std::string::npos);

  internal::TensorFile file = internal::parse_safetensors(bytes);
  const auto again = [&] { return internal::safetensors_bytes(file.tensors, file.metadata); };
  for (auto& [key, text] : file.metadata)
    if (key == internal::int8::key_format) text = "2";
  CHECK(error_of([&] { load_quantized<Net>(again()); }) ==
        "the safetensors data has the format 2 of quantized networks, expected 1; read it with the version of sinter "
        "that wrote it, or a newer one");
  file = internal::parse_safetensors(bytes);
  for (auto& tensor : file.tensors) {
    if (tensor.name == "0.weight") tensor.shape = {5, 3, 2, 3};
    if (tensor.name == "5.bias") tensor.name = "5.bios";
  }
  CHECK(error_of([&] { load_quantized<Net>(again()); }) ==
        "the safetensors data does not fit the model: missing: 5.bias [3]; unexpected: 5.bios [3]; unlike: 0.weight of "
        "I8 [5, 3, 2, 3], expected I8 [5, 2, 3, 3]; save the quantized network again");
}

TEST_CASE("truncated files, and those with a byte that has changed") {
  auto other = quantized_net(8);
  const auto before = other;
  const std::vector<std::byte> bytes =
      save_bytes(quantized_net(), {.normalize = Normalize::pixels(0.5f, 0.25f), .classes = {"a", "b", "c"}});
  for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 7)
    CHECK(has(
        error_of([&] { load(other, std::vector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))); }),
        "truncated, damaged or not a safetensors file"));
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  const std::size_t name =
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find("sinter.checksum");
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const unsigned change : {1u, 2u, 4u, 8u, 0x10u, 0x20u, 0x40u, 0x80u}) {
      std::vector<std::byte> one = bytes;
      one[i] ^= static_cast<std::byte>(change);
      const std::string error = error_of([&] { load_quantized<Net>(one); });
      if (i >= 8 + header)  // of the numbers: none is missed
        CHECK(has(error, "the safetensors data is damaged: the checksum of its numbers is 00000000"));
      else if (i < name || i >= name + 15)  // only the name of the checksum of the whole can be changed unnoticed
        CHECK(error != "(no error)");
    }
  check_same(other, before);
}

TEST_CASE("numbers with which sums would overflow, though the checksum is right") {
  const std::vector<std::byte> bytes = save_bytes(quantized_net());
  CHECK(error_of([&] { load_quantized<Net>(changed<float>(bytes, "none", 0, 0)); }) == "(no error)");
  const auto refused = [&](const std::string& name, std::size_t at, auto number, const std::string& words) {
    CHECK(error_of([&] { load_quantized<Net>(changed(bytes, name, at, number)); }) ==
          "the safetensors data holds " + words + "; it was changed: save the quantized network again");
  };
  refused("0.weight", 7, std::int8_t{-128}, "-128 in \"0.weight\", expected -127 to 127");
  refused("5.bias", 2, std::int32_t{1 << 30}, "1073741824 in \"5.bias\", expected -1073741823 to 1073741823");
  refused("values.scale", 0, 0.0f, "0 in \"values.scale\", expected 1.401298464324817e-45 to 3.4028234663852886e+38");
  refused("values.scale", 0, NAN, "nan in \"values.scale\", expected 1.401298464324817e-45 to 3.4028234663852886e+38");
  refused("ops.shift", 0, std::int32_t{31}, "31 in \"ops.shift\", expected 32 to 62");
  refused("ops.first", 0, std::int32_t{-1}, "-1 in \"ops.first\", expected 0 to 1048575");
  CHECK(has(error_of([&] {
              load_quantized<Net>(
                  changed(changed(bytes, "ops.low", 0, std::uint8_t{5}), "ops.high", 0, std::uint8_t{4}));
            }),
            "the safetensors data holds 5 in \"ops.low\", expected 0 to 4; it was changed"));
  CHECK(has(error_of([&] { load_quantized<Net>(changed(bytes, "5.weight_scale", 1, 1e300)); }),
            "the safetensors data holds 1e+300 in \"5.weight_scale\", expected 0 to "));
  CHECK(has(error_of([&] { load_quantized<Net>(changed(bytes, "5.weight_scale", 1, -1e-300)); }),
            "holds -1e-300 in \"5.weight_scale\", expected 0 to "));
}

TEST_CASE("the largest numbers that a file may hold: the same outputs by all instructions") {
  const std::vector<std::byte> file = save_bytes(quantized_net());
  auto rows = rows_of<Net>(5);
  for (float& x : rows.values()) x *= 1000;
  for (const int sign : {1, -1}) {
    std::vector<std::byte> bytes = file;
    for (const char* const layer : {"0.", "5."}) {
      bytes = all_changed(bytes, std::string(layer) + "weight", static_cast<std::int8_t>(127 * sign));
      bytes = all_changed(bytes, std::string(layer) + "bias", sign * ((1 << 30) - 1));
    }
    bytes = all_changed(bytes, "ops.shift", std::int32_t{32});
    const auto quantized = load_quantized<Net>(bytes);
    const std::vector<float> y = outputs_of(quantized, rows, 5);
    CHECK(same_bits(y, outputs_of(QuantizedNetwork<Net, internal::int8::Plain>(quantized), rows, 5)));
    const auto& last = quantized.data()->of(internal::Program<Net>::output_value);
    for (const float one : y) CHECK(one == last.value(sign > 0 ? 255 : 0));
  }
}
