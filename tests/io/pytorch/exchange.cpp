// SPDX-License-Identifier: MIT
// exchange write|read FOLDER: one side of exchange.py, which is the other. `write` saves networks, and rows with what the
// networks give for them; `read` loads what PyTorch wrote, and compares what the networks then give with what PyTorch gave.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>

using namespace sinter;

namespace {

struct W1 : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>,
                       ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
struct W3Mlp : Sequential<Input<1024>, Linear<100>, ReLU, Linear<10>> {};
struct W3Cnn : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, ReLU, MaxPool2d<2>, Conv2d<32, 2>, ReLU, MaxPool2d<2>,
                          Conv2d<64, 2>, ReLU, MaxPool2d<2>, Flatten, Linear<200>, ReLU, Linear<10>> {};
struct Options : Sequential<Input<4, 16, 12>, Conv2d<8, 3, Padding<1>>, Conv2d<8, Kernel<3, 5>, Stride<2>, NoBias>,
                            Tanh, Conv2d<12, 3, Padding<2>, Groups<4>, Dilation<2, 1>>, AvgPool2d<2>, Flatten,
                            Linear<6, NoBias>, Sigmoid, Linear<3>, Softmax> {};

constexpr std::size_t rows = 5;

template <class Model>
using Rows = Tensor<float, typename Model::InputRow>;

template <class Model>
Tensor<float, typename Model::OutputRow> outputs(const Network<Model>& net, const Rows<Model>& x) {
  const std::vector<int> labels(x.rows());
  return predict(net, dataset(x, labels));
}

template <class Model>
void write(const std::string& path) {
  const Network<Model> net{{.seed = 7}};
  save(net, path + ".sinter.safetensors",
       {.normalize = Normalize::pixels(0.5f, 0.25f),
        .classes = std::vector<std::string>(Model::OutputRow::size, "\u00e4\"")});
  Rows<Model> x(rows);
  unsigned state = 1;
  for (float& value : x.values()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1;
  }
  const auto y = outputs(net, x);
  const auto bytes =
      safetensors_bytes({{"x", ElementType::f32, {rows, Model::InputRow::size}, std::as_bytes(x.values())},
                         {"y", ElementType::f32, {rows, Model::OutputRow::size}, std::as_bytes(y.values())}});
  write_file(path + ".sinter.rows", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Whether the network gives what PyTorch gave. Its weights are numbers of each type in turn.
template <class Model>
bool read(const std::string& path) {
  bool good = true;
  for (const std::string type : {"float32", "float16", "bfloat16", "float64"}) {
    const std::string file = path + "." + type;
    Network<Model> net{{.seed = 1}};
    const Loaded loaded = load(net, file + ".safetensors");
    const auto bytes = read_file(file + ".rows");
    const TensorFile both = parse_safetensors(bytes);
    Rows<Model> x(rows);
    std::vector<double> wanted(rows * Model::OutputRow::size);
    for (const auto& tensor : both.tensors)
      std::memcpy(tensor.name == "x" ? static_cast<void*>(x.data()) : wanted.data(), tensor.bytes.data(),
                  tensor.bytes.size());
    const auto y = outputs(net, x);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      difference += (static_cast<double>(y.values()[i]) - wanted[i]) * (static_cast<double>(y.values()[i]) - wanted[i]);
      norm += wanted[i] * wanted[i];
    }
    const double error = std::sqrt(difference / norm);
    std::printf("%s: %zu tensors, relative error %.1e\n", file.c_str(), loaded.taken.size(), error);
    good = good && error < 2e-6 && loaded.problem().empty();
  }
  return good;
}

void write_arrays(const std::string& folder) {
  Tensor<float, Shape<2, 1, 3>> x(2);
  for (std::size_t i = 0; i < 12; ++i) x.values()[i] = static_cast<float>(i) / 8;
  const std::vector<std::int64_t> labels{3, -1, 1LL << 40};
  const std::vector<double> one{0.1};
  write_npy(folder + "sinter.npy", x);
  write_npz(folder + "sinter.npz", {named("x", x), named("labels", std::span(labels)), named("one", std::span(one))});
}
/// Arrays 0, 1, .. [2][3][2] of every type that NumPy has, in both orders.
bool read_arrays(const std::string& folder) {
  const NpzArrays file = read_npz(folder + "numpy.npz");
  bool good = file.arrays.size() == 22 && read_npy(folder + "numpy.npy").rows<float, Shape<3, 2, 1>>().rows() == 2;
  for (const auto& [name, array] : file.arrays) {
    const auto values = array.values<double>();
    good = good && array.shape == std::vector<std::uint64_t>{2, 3, 2, 1} && values.size() == 12;
    for (std::size_t i = 0; i < values.size(); ++i) good = good && values[i] == static_cast<double>(i);
  }
  std::printf("%zu arrays of numpy.savez\n", file.arrays.size());
  return good;
}

template <class Model>
bool both(bool writing, const std::string& path) {
  if (!writing) return read<Model>(path);
  write<Model>(path);
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const bool writing = std::string(words[1]) == "write";
  const std::string folder = std::string(words[2]) + "/";
  bool good = writing || read_arrays(folder);
  if (writing) write_arrays(folder);
  good &= both<W1>(writing, folder + "W1");
  good &= both<W3Mlp>(writing, folder + "W3Mlp");
  good &= both<W3Cnn>(writing, folder + "W3Cnn");
  good &= both<Options>(writing, folder + "Options");
  return good ? 0 : 1;
}
