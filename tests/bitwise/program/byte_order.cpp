// SPDX-License-Identifier: MIT
// byte_order write FOLDER: writes files of every kind, of numbers that every machine computes exactly.
// byte_order read FOLDER same|other: reads them, written by a machine of the same byte order or the other one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/int8.hpp"
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"

using namespace sinter;
using internal::ElementType;

namespace {

struct Model : Sequential<Input<1, 6, 6>, Conv2d<3, 3>, MaxPool2d<2>, ReLU, Flatten, Linear<4>> {};
using Net = Network<Model>;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "not as expected: %s\n", what);
  std::exit(1);
}

/// Weights that are multiples of 1/8.
Net network() {
  Net net{{.seed = 5}};
  int number = 0;
  for (const auto& parameter : net.parameters())
    for (float& w : parameter.value) w = static_cast<float>(number++ * 7 % 16 - 8) / 8;
  return net;
}
/// Rows of zeros and ones, and targets that are whole.
std::vector<float> zeros_and_ones() {
  std::vector<float> x(4 * 36);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i * i % 3 == 1 ? 1.0f : 0.0f;
  return x;
}
const Tensor<float, Shape<1, 6, 6>> rows(zeros_and_ones());
const Tensor<float, Shape<4>> targets(std::vector<float>{1, 0, -1, 2, 0, 3, 1, -2, 2, 2, 0, 1, -1, 0, 1, 1});

auto trainer_of(Net& net) { return Trainer{net, MSELoss{}, SGD{.lr = 0.125, .momentum = 0.5}}; }
void fit_to(Net& net, const std::string& path, int epochs) {
  fit(net, LabelledData<float, Shape<1, 6, 6>, int>(zeros_and_ones(), {0, 1, 2, 3}), CrossEntropyLoss{}, Adam{},
      {.batch_size = 3, .epochs = epochs}, Checkpoint{.path = path, .every = 1, .resume = true});
}

bool same(const Net& a, const Net& b) {
  return std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(Net::Ops::storage_size)) == 0;
}

const std::vector<double> doubles{1.0 / 3, -0.0, std::numeric_limits<double>::infinity()};
const std::vector<std::int64_t> wide{std::numeric_limits<std::int64_t>::min(), 0x0102030405060708};
const std::vector<std::uint16_t> narrow{1, 0x0102};

/// The weights in half precision, as others store them.
std::vector<std::byte> in_halves(const Net& net) {
  std::vector<std::vector<std::uint16_t>> halves;
  std::vector<internal::NamedTensor> tensors;
  for (const auto& parameter : net.parameters()) {
    std::vector<std::uint16_t>& numbers = halves.emplace_back();
    for (const float w : parameter.value) numbers.push_back(internal::float_to_half(w));
    std::vector<std::uint64_t> shape;
    for (const int size : parameter.shape) shape.push_back(static_cast<std::uint64_t>(size));
    tensors.push_back({std::string(parameter.name), ElementType::f16, shape, std::as_bytes(std::span(numbers))});
  }
  return safetensors_bytes(tensors);
}

/// Records of a label and a row, byte by byte.
std::string records() {
  std::string bytes;
  const auto put = [&](std::uint32_t number, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i & 255);
  };
  for (std::uint32_t row = 0; row < 4; ++row) {
    put(0x0102 + row, 2);
    for (std::size_t i = 0; i < 36; ++i) put(zeros_and_ones()[row * 36 + i] == 1 ? 0x3f800000u : 0, 4);
  }
  return bytes;
}

void write_all(const std::string& folder) {
  Net net = network();
  save(net, folder + "weights.safetensors");
  internal::write_file(folder + "halves.safetensors", in_halves(net));
  export_onnx(net, folder + "net.onnx");
  save_packed(net, folder + "floats.packed");
  const auto quantized = quantize(net, rows);
  save(quantized, folder + "quantized.safetensors");
  export_onnx(quantized, folder + "quantized.onnx");
  internal::write_file(folder + "rows.bin", records());
  write_npy(folder + "rows.npy", rows);
  write_npz(folder + "arrays.npz", {named("doubles", std::span(doubles)), named("wide", std::span(wide)),
                                    named("narrow", std::span(narrow)), named("rows", rows)});
  auto trainer = trainer_of(net);
  trainer.step(rows, targets);
  save_checkpoint(trainer, folder + "training.checkpoint");
  Net fitted = network();
  fit_to(fitted, folder + "fit.checkpoint", 1);
}

template <class T>
bool same_numbers(std::span<const T> a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

void read_all(const std::string& folder, bool same_order) {
  const Net net = network();
  Net loaded;
  load(loaded, folder + "weights.safetensors");
  require(same(loaded, net), "weights.safetensors");
  Net from_halves;
  load(from_halves, folder + "halves.safetensors");
  require(same(from_halves, net), "halves.safetensors");

  const auto packed = internal::read_file(folder + "floats.packed");
  try {
    const View<Model> view{std::span<const std::byte>(packed)};
    require(same_order, "packed weights in another byte order were taken");
    auto workspace = net.workspace(4);
    const auto wanted = net.forward(rows, workspace);
    auto own = std::make_unique<FixedWorkspace<Model, 4>>();
    require(std::memcmp(view.forward(rows.view(), *own).data, wanted.data, 16 * sizeof(float)) == 0, "floats.packed");
  } catch (const std::exception& error) {
    require(!same_order && std::string_view(error.what()).find("a machine of the same byte order") != std::string::npos,
            error.what());
  }

  const auto quantized = load_quantized<Model>(folder + "quantized.safetensors");
  require(save_bytes(quantized) == save_bytes(quantize(net, rows)), "quantized.safetensors");

  const RecordFiles<float, Shape<1, 6, 6>, std::int16_t> files({folder + "rows.bin"});
  for (const auto& batch : batches(files, {.batch_size = 4, .shuffle = false})) {
    require(batch.targets()[3] == 0x0105, "labels of rows.bin");
    require(same_numbers<float>({batch.inputs().data, 4 * 36}, zeros_and_ones()), "rows.bin");
  }

  const auto given = read_npy(folder + "rows.npy").rows<float, Shape<1, 6, 6>>();
  require(same_numbers<float>(given.values(), zeros_and_ones()), "rows.npy");
  const auto arrays = read_npz(folder + "arrays.npz");
  require(same_numbers<double>(arrays["doubles"].values<double>(), doubles), "doubles in arrays.npz");
  require(arrays["wide"].values<std::int64_t>() == wide, "wide in arrays.npz");
  require(arrays["narrow"].values<std::uint16_t>() == narrow, "narrow in arrays.npz");

  Net stepped = network(), resumed{{.seed = 5}};
  auto trainer = trainer_of(stepped), later = trainer_of(resumed);
  trainer.step(rows, targets);
  resume(later, folder + "training.checkpoint");
  require(same(resumed, stepped), "training.checkpoint");
  trainer.step(rows, targets), later.step(rows, targets);
  require(same(resumed, stepped), "a step after training.checkpoint");

  // Floats of other machines differ in the last bits; each continues with what it reads.
  Net continued{{.seed = 5}};
  const std::string copy = folder + "copy.checkpoint";
  internal::write_file(copy, internal::read_file(folder + "fit.checkpoint"));
  fit_to(continued, copy, 2);
  Net straight = network();
  fit_to(straight, folder + "straight.checkpoint", 2);
  for (int i = 0; i < Net::Ops::storage_size; ++i)
    require(std::abs(continued.data()[i] - straight.data()[i]) < 1e-5f, "fit.checkpoint");
  require(std::remove(copy.c_str()) == 0 && std::remove((folder + "straight.checkpoint").c_str()) == 0, "copies");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string folder = std::string(arguments[2]) + "/";
  if (std::string_view(arguments[1]) == "write")
    write_all(folder);
  else
    read_all(folder, std::string_view(arguments[3]) == "same");
}
