// SPDX-License-Identifier: MIT
// exchange write|read|onnx|events FOLDER: one side of exchange.py, which is the other. `write` saves networks, and rows with what the
// networks give for them; `read` loads what PyTorch wrote, and compares what the networks then give with what PyTorch gave.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <type_traits>
#include <vector>

using namespace sinter::internal;

namespace {

struct W1 : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>,
                       ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
struct W3Mlp : Sequential<Input<1024>, Linear<100>, ReLU, Linear<10>> {};
struct W3Cnn : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, ReLU, MaxPool2d<2>, Conv2d<32, 2>, ReLU, MaxPool2d<2>,
                          Conv2d<64, 2>, ReLU, MaxPool2d<2>, Flatten, Linear<200>, ReLU, Linear<10>> {};
struct Options : Sequential<Input<4, 16, 12>, Conv2d<8, 3, Padding<1>>, Conv2d<8, Kernel<3, 5>, Stride<2>, NoBias>,
                            Tanh, Conv2d<12, 3, Padding<2>, Groups<4>, Dilation<2, 1>>, AvgPool2d<2>, Flatten,
                            Linear<6, NoBias>, Sigmoid, Linear<3>, Softmax> {};

struct Activations : Sequential<Input<9>, Linear<8>, ELU<0.5>, Linear<8>, GELU, Linear<8>, GELUTanh, Linear<8>, SiLU,
                                Linear<8>, Hardswish, Linear<8>, LeakyReLU<0.2>, Linear<8>, Softplus<2.0, 20.0>,
                                Linear<8>, Hardsigmoid, Linear<8>, Hardtanh<-0.5, 0.5>, Linear<8>, ReLU6, Linear<8>,
                                Activation<fn::Square>, Activation<fn::Exp>, Activation<fn::Log>, Activation<fn::Sqrt>,
                                Activation<fn::Abs>, Activation<fn::Exp>, Activation<fn::Reciprocal>> {};
struct Softpluses
    : Sequential<Input<9>, Softplus<3.0, -0.5>, Linear<8>, Softplus<1.0, 0.25>, Linear<8>, Softplus<2.0, 1.0>> {};
struct Branches : Sequential<Input<2, 6, 5>, Residual<Path<Conv2d<4, 3, Padding<1>>, ReLU>, Shortcut<Conv2d<4, 1>>>,
                             Concat<Path<Conv2d<3, 3, Padding<1>>, Tanh>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>,
                             Flatten, Residual<Path<Linear<9>, ReLU, Linear<210>>>, Linear<4>> {};
struct Norms : Sequential<Input<4, 6, 5>, LayerNorm<>, Conv2d<6, 3>, GroupNorm<3>, ReLU, InstanceNorm2d<Epsilon<1e-3>>,
                          GroupNorm<2, NoAffine>, Flatten, GroupNorm<4>, Linear<9>, LayerNorm<NoBias>, Linear<4>> {};
struct BatchNorms : Sequential<Input<3, 8, 6>, Conv2d<4, 3, NoBias>, BatchNorm2d<>, ReLU,
                               Residual<Path<Conv2d<4, 3, Padding<1>>, BatchNorm2d<Epsilon<1e-2>, NoAffine>>>,
                               BatchNorm2d<>, Reshape<4, 24>, Conv1d<5, 3>, BatchNorm1d<>, Tanh, Flatten, Linear<7>,
                               BatchNorm1d<NoAffine>, Linear<4>, BatchNorm1d<>> {};
struct SeriesNorms : Sequential<Input<4, 9>, LayerNorm<>, GroupNorm<2>, InstanceNorm1d<>, Flatten, Linear<3>> {};

struct Series
    : Sequential<Input<2, 24>, Conv1d<4, 3, Causal>, PReLU<PerChannel>, Conv1d<4, 3, Stride<2>, Padding<1>>, PReLU<>,
                 AdaptiveMaxPool1d<6>, MaxPool1d<2>, Reshape<1, 3, 4>,
                 ConvTranspose2d<2, 2, Stride<2>, OutputPadding<1>>, AdaptiveAvgPool2d<7, 3>, PReLU<PerChannel>,
                 Flatten, Concat<Path<Slice<3, 4>>, Path<Highway<Path<Linear<42>, Tanh>, Path<Linear<42>>>>>,
                 Linear<3>> {};

struct Tower : Shared<Conv2d<3, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<4>> {};
struct Siamese
    : Sequential<Input<2, 6, 8>, Concat<Path<Slice<0, 1>, Tower>, Path<Slice<1, 1>, Tower>>, Tanh, Linear<2>> {};

struct Gates : Sequential<Input<3, 8>, Product<Path<Conv1d<4, 3, Causal>, Tanh>, Path<Conv1d<4, 3, Causal>, Sigmoid>>,
                          Product<Path<>, Path<AdaptiveAvgPool1d<1>, Conv1d<4, 1>, Sigmoid, AdaptiveAvgPool1d<8>>>,
                          Reshape<4, 4, 2>,
                          Product<Path<>, Path<AdaptiveAvgPool2d<1>, Conv2d<4, 1>, Sigmoid, AdaptiveAvgPool2d<4, 2>>>,
                          Flatten, Product<Path<>, Path<>>, Maximum<Path<Linear<11>>, Path<Linear<11>, ReLU>>,
                          LSTMCell<3>, GRUCell<4>, Linear<2>> {};

struct Maps : Sequential<Input<3, 4, 6>, ZeroPad2d<1, 0, 2, 1>, ReflectionPad2d<2, 1, 0, 3>, Conv2d<4, 2>,
                         ReplicationPad2d<0, 2, 1, 0>, Permute<0, 3, 1, 2>, Tanh, Slice<2, 5>, Slice<1, 3, 2>,
                         Transpose<1, -1>, Flip<1, -1>, Upsample<2>, Upsample<2, Bilinear>, PixelUnshuffle<4>,
                         PixelShuffle<2>, Upsample<3, Bilinear, AlignCorners>,
                         Concat<Path<Sum<2>>, Path<Mean<-1>, ReplicationPad1d<4, 8>, Transpose<1, 2>, Transpose<2, 1>>>,
                         SoftmaxAlong<1>, RMSNorm<NormalizedShape<30>>, LayerNorm<NormalizedShape<30>, Epsilon<1e-3>>,
                         LogSoftmaxAlong<-1>, Reshape<5, 16, 30>, LayerNorm<NormalizedShape<16, 30>>,
                         RMSNorm<NormalizedShape<30>, NoAffine>, SoftmaxAlong<2>, Mean<2, 3>, Linear<3>> {};

template <int Channels, int Kernel, auto... Options>
using Convolution = Conv2d<Channels, Kernel, Padding<Kernel / 2>, NoBias, Options...>;
template <int Channels>
using Same = Residual<Path<Convolution<Channels, 3>, BatchNorm2d<>, ReLU, Convolution<Channels, 3>, BatchNorm2d<>>>;
template <int Channels>
using Half =
    Residual<Path<Convolution<Channels, 3, Stride<2>>, BatchNorm2d<>, ReLU, Convolution<Channels, 3>, BatchNorm2d<>>,
             Shortcut<Convolution<Channels, 1, Stride<2>>, BatchNorm2d<>>>;
struct ResNet8 : Sequential<Input<3, 32, 32>, Convolution<8, 3>, BatchNorm2d<>, ReLU, Same<8>, ReLU, Half<16>, ReLU,
                            Half<32>, ReLU, AvgPool2d<8>, Flatten, Linear<10>> {};
struct Recurrents : Sequential<Input<6, 3>, GRU<5, NumLayers<2>, Bidirectional>, LSTM<4, NoBias>, Tanh, RNN<7>,
                               LSTM<9, Bidirectional, FinalState>, Linear<2>> {};
struct States : Sequential<Input<6, 3>, GRU<5, LearnedState, NumLayers<2>, Bidirectional>, RNN<4, LearnedState, NoBias>,
                           LSTM<7, LearnedState, FinalState>, Linear<2>> {};
struct Projected : Sequential<Input<6, 3>, LSTM<7, ProjectionSize<4>, NumLayers<2>, Bidirectional>,
                              LSTM<9, ProjectionSize<2>, NoBias, FinalState>, Linear<2>> {};
struct Ragged : Sequential<Input<1 + 15 + 10>,
                           Recurrent<LSTM<5, Bidirectional, NoBias>, Path<Slice<1, 15>, Reshape<5, 3>>,
                                     Lengths<Slice<0, 1>>, InitialState<Slice<16, 10>, Linear<20>>>,
                           Tanh, Flatten, Linear<3>> {};
struct Attending : Sequential<Input<6, 8>, PositionEmbedding<6, 8>, PositionalEncoding, RotaryEmbedding<4>,
                              MultiheadAttention<8, 2, Causal>, TransformerEncoderLayer<8, 4, 12>,
                              TransformerEncoderLayer<8, 2, 12, NormFirst, Causal, WithActivation<GELU>, NoBias>,
                              PositionwiseLinear<3>, MatrixProduct<Path<>, Path<Tanh>, TransposeFirst, Factor<0.5>>,
                              Flatten, Linear<2>> {};
struct Sentence : Sequential<Input<4>, Embedding<7, 3>, Flatten, Linear<5>, ReLU, Linear<2>> {};

struct Flat : Inputs<Named<"picture", Input<2, 6, 5>>, Named<"numbers", Input<3>>> {};
struct TwoInputs : Sequential<Flat,
                              Concat<Path<TakeInput<Flat, "picture">, Conv2d<3, 3, Padding<1>>, ReLU, Flatten>,
                                     Path<TakeInput<Flat, "numbers">, Linear<4>, Tanh>>,
                              Linear<2>> {};
struct Unnamed : Inputs<Input<4>, Input<2, 5>> {};
struct WholeRow
    : Sequential<
          Unnamed,
          Concat<Path<TakeInput<Unnamed, 1>, Conv1d<3, 2>, Flatten>, Path<Linear<3>>, Path<TakeInput<Unnamed, 0>>>,
          Linear<2>> {};

struct Outputs : Sequential<Input<2, 4, 6>, Conv2d<3, 3, Padding<1>>, Sigmoid,
                            Heads<Named<"mask", Path<Conv2d<2, 1>>>, Path<Mean<2, 3>, Linear<4>>,
                                  Path<Concat<Path<Activation<fn::Pow<3.0>>>, Path<>>>, Named<"series", Path<Mean<3>>>,
                                  Path<Activation<fn::Pow<-1.5>>, Flatten, Linear<2>>, Named<"all", Path<>>>> {};

constexpr std::size_t rows = 5;

template <class Model>
using Rows = Tensor<float, typename Model::InputRow>;

template <class Model>
Tensor<float, typename Model::OutputRow> outputs(const Network<Model>& net, const Rows<Model>& x) {
  const std::vector<int> labels(x.rows());
  return predict(net, dataset(x, labels));
}

template <class Model>
void write_rows(const Network<Model>& net, const std::string& path) {
  Rows<Model> x(rows);
  unsigned state = 1;
  for (float& value : x.values()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1;
    if (std::is_same_v<Model, Sentence>) value = std::floor((value + 1) * 3.5f);
    if (std::is_same_v<Model, Ragged> && (&value - x.data()) % 26 == 0) value = std::floor((value + 1) * 2.5f) + 1;
  }
  write_file(path, safetensors_bytes({named("x", x), named("y", outputs(net, x))}));
}
/// Running means and variances, and first states, as a training leaves them.
template <class Model>
void set_buffers(Network<Model>& net) {
  for (const auto& buffer : net.buffers())
    for (std::size_t i = 0; i < buffer.value.size(); ++i) buffer.value[i] += 0.25f * static_cast<float>(i % 5 + 1);
  for (const auto& p : net.parameters())
    for (std::size_t i = 0; i < p.value.size() && p.name.find("_0_l") != std::string_view::npos; ++i)
      p.value[i] = 0.25f * static_cast<float>(i % 5 + 1);
}
std::vector<std::string> numbered(const std::string& name, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(name + std::to_string(i));
  return names;
}
template <class Model>
void write(const std::string& path) {
  Network<Model> net{{.seed = 7}};
  set_buffers(net);
  save(net, path + ".sinter.safetensors",
       {.normalize = Normalize::pixels(0.5f, 0.25f), .classes = numbered("\u00e4\"", Model::OutputRow::size)});
  write_rows(net, path + ".sinter.rows");
}
template <class Model>
void write_onnx(const std::string& path, const About& about = {}) {
  Network<Model> net{{.seed = 7}};
  set_buffers(net);
  export_onnx(net, path + ".onnx", about);
  write_rows(net, path + ".rows");
}
int write_onnx_files(const std::string& folder) {
  write_onnx<W1>(folder + "W1", {.classes = numbered("digit", 10), .metadata = {{"author", "me"}}});
  write_onnx<W3Cnn>(folder + "W3Cnn");
  write_onnx<Options>(folder + "Options");
  write_onnx<Activations>(folder + "Activations");
  write_onnx<Softpluses>(folder + "Softpluses");
  write_onnx<Branches>(folder + "Branches");
  write_onnx<Series>(folder + "Series");
  write_onnx<Norms>(folder + "Norms");
  write_onnx<SeriesNorms>(folder + "SeriesNorms");
  write_onnx<BatchNorms>(folder + "BatchNorms");
  write_onnx<Siamese>(folder + "Siamese");
  write_onnx<Gates>(folder + "Gates");
  write_onnx<Maps>(folder + "Maps");
  write_onnx<ResNet8>(folder + "ResNet8");
  write_onnx<Sentence>(folder + "Sentence");
  write_onnx<Recurrents>(folder + "Recurrents");
  write_onnx<States>(folder + "States");
  write_onnx<Ragged>(folder + "Ragged");
  write_onnx<Attending>(folder + "Attention");
  write_onnx<W3Mlp>(folder + "W3Mlp");
  write_onnx<W3Mlp>(folder + "W3Mlp_normalized", {.normalize = Normalize{2, -1}});
  const std::size_t columns = W3Mlp::InputRow::size;
  NormalizeColumns scale{std::vector<double>(columns), std::vector<double>(columns)};
  for (std::size_t i = 0; i < columns; ++i) {
    scale.mean[i] = static_cast<double>(i % 16);
    scale.deviation[i] = static_cast<double>(i % 5 + 1);
  }
  write_onnx<W3Mlp>(folder + "W3Mlp_columns", {.columns = scale});
  write_onnx<TwoInputs>(folder + "TwoInputs");
  write_onnx<WholeRow>(folder + "WholeRow");
  write_onnx<Outputs>(folder + "Outputs");
  scale.mean.resize(TwoInputs::InputRow::size);
  scale.deviation.resize(TwoInputs::InputRow::size);
  write_onnx<TwoInputs>(folder + "TwoInputs_columns", {.columns = scale});
  write_onnx<W1>(folder + "W1_channels", {.columns = NormalizeColumns{{8}, {2}}});
  export_onnx(Network<W3Mlp, Host, Float64>{{.seed = 7}}, folder + "W3Mlp_double.onnx");
  return 0;
}

/// Whether a file is loaded, and refused with another last bit.
template <class Model>
bool has_checksum(Network<Model>& net, const std::string& path) {
  auto bytes = read_file(path);
  if (!load(net, bytes).self_tested) return false;
  bytes.back() ^= std::byte{1};
  try {
    load(net, bytes);
  } catch (const sinter::Error& error) {
    return std::string(error.what()).find("has a wrong checksum") != std::string::npos;
  }
  return false;
}

/// Whether the network gives what PyTorch gave. Its weights are numbers of each type in turn.
template <class Model>
bool read(const std::string& path) {
  Network<Model> again;
  // What sinter wrote, with its checksum, and the same as a converter writes it.
  bool good =
      load(again, path + ".again.safetensors").self_tested && has_checksum(again, path + ".converted.safetensors");
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
bool read_arrays(const std::string& folder, const std::string& file_name) {
  const NpzArrays file = read_npz(folder + file_name);
  bool good = file.arrays.size() == 22 && read_npy(folder + "numpy.npy").rows<float, Shape<3, 2, 1>>().rows() == 2;
  for (const auto& [name, array] : file.arrays) {
    const auto values = array.values<double>();
    good = good && array.shape == std::vector<std::uint64_t>{2, 3, 2, 1} && values.size() == 12;
    for (std::size_t i = 0; i < values.size(); ++i) good = good && values[i] == static_cast<double>(i);
  }
  std::printf("%zu arrays of %s\n", file.arrays.size(), file_name.c_str());
  return good;
}

struct Plane : Sequential<Input<2>, Linear<2>> {};
int write_events(const std::string& folder) {
  const auto train = disc(40, 1), test = disc(10, 2);
  Network<Plane> net{{.seed = 1}};
  fit(net, train, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 4, .validation = &test},
      TensorBoard{.folder = folder + "run"})
      .csv(folder + "history.csv");
  return 0;
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
  if (std::string(words[1]) == "onnx") return write_onnx_files(folder);
  if (std::string(words[1]) == "events") return write_events(folder);
  bool good = writing || (read_arrays(folder, "numpy.npz") && read_arrays(folder, "numpy_compressed.npz"));
  if (writing) write_arrays(folder);
  good &= both<W1>(writing, folder + "W1");
  good &= both<W3Mlp>(writing, folder + "W3Mlp");
  good &= both<W3Cnn>(writing, folder + "W3Cnn");
  good &= both<Options>(writing, folder + "Options");
  good &= both<Branches>(writing, folder + "Branches");
  good &= both<Norms>(writing, folder + "Norms");
  good &= both<SeriesNorms>(writing, folder + "SeriesNorms");
  good &= both<ResNet8>(writing, folder + "ResNet8");
  good &= both<Siamese>(writing, folder + "Siamese");
  good &= both<Sentence>(writing, folder + "Sentence");
  good &= both<Recurrents>(writing, folder + "Recurrents");
  good &= both<States>(writing, folder + "States");
  good &= both<Projected>(writing, folder + "Projected");
  good &= both<Attending>(writing, folder + "Attention");
  return good ? 0 : 1;
}
