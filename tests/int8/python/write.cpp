// SPDX-License-Identifier: MIT
// write FOLDER: quantized networks as ONNX, and rows with what the networks give for them. onnx_models.py is the other side.
#include <sinter/int8.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

using namespace sinter::internal;

namespace {

struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<6, 5>, ReLU, MaxPool2d<2>, Conv2d<16, 5>, MaxPool2d<2>, ReLU,
                          Flatten, Linear<120>, ReLU, Dropout<0.5>, Linear<84>, ReLU, Linear<10>, LogSoftmax> {};
struct Perceptron : Sequential<Input<13>, Linear<17>, ReLU, Linear<33>, Tanh, Linear<7>, GELU, Linear<5>> {};
struct One : Sequential<Input<1>, Linear<1>> {};
struct LimitsFirst
    : Sequential<Input<7>, Hardtanh<-0.5, 0.5>, Linear<9>, ReLU6, Linear<8>, Hardtanh<-1.0, 0.25>, Linear<3>, ReLU> {};

template <int Channels, int Step>
struct Block : Path<Residual<Path<Conv2d<Channels, 3, Stride<Step>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                                  Conv2d<Channels, 3, Padding<1>, NoBias>, BatchNorm2d<>>,
                             Shortcut<Conv2d<Channels, 1, Stride<Step>, NoBias>, BatchNorm2d<>>>,
                    ReLU> {};
struct Residuals : Sequential<Input<3, 17, 15>, Conv2d<5, 3, Padding<1>>, BatchNorm2d<>, ReLU, Block<7, 2>,
                              Residual<Path<Conv2d<7, 3, Padding<1>>>>, AdaptiveAvgPool2d<1>, Flatten, Linear<3>> {};
struct Depthwise : Sequential<Input<4, 8, 7>, BatchNorm2d<>, Conv2d<4, 3, Padding<1>, Groups<4>>, ReLU6, Conv2d<19, 1>,
                              ReLU, Conv2d<19, 3, Groups<19>, Stride<2>>, AvgPool2d<2, Stride<1>, Padding<1>>, Flatten,
                              BatchNorm1d<>, Linear<6>> {};
struct Joined : Sequential<Input<2, 8, 8>, Conv2d<6, 3, Padding<1>>,
                           Concat<Path<ReLU, MaxPool2d<2>>, Path<AvgPool2d<2>>, Path<Conv2d<3, 2, Stride<2>>, Tanh>>,
                           Product<Path<Conv2d<5, 1>, Sigmoid>, Path<Conv2d<5, 1>>>, Flatten, Linear<4>> {};
struct Windows : Sequential<Input<3, 11, 9>, Conv2d<6, Kernel<3, 2>, Stride<2, 1>, Padding<2, 1>>, LeakyReLU<>,
                            Conv2d<8, 3, Padding<1>, Groups<2>>, PReLU<PerChannel>, Conv2d<5, 2, Dilation<2>, NoBias>,
                            PReLU<>, MaxPool2d<3, Stride<2>, Padding<1>>, Conv2d<17, 1>> {};
struct Series : Sequential<Input<2, 23>, Conv1d<6, 3, Causal>, ReLU, Conv1d<9, 4, Stride<3>>, SiLU, BatchNorm1d<>,
                           MaxPool1d<2>, Flatten, Linear<4>, Softmax> {};
struct Reshaped : Sequential<Input<24>, Linear<36>, ReLU, Reshape<4, 3, 3>, Conv2d<6, 2>, Reshape<6, 4>, BatchNorm1d<>,
                             Conv1d<5, 3>, Residual<Path<Flatten, Linear<10>, Reshape<5, 2>>>, Flatten, Linear<3>> {};
struct Tower : Shared<Conv1d<3, 3, Padding<1>>, BatchNorm1d<>, Tanh> {};
struct Twice : Sequential<Input<3, 9>, Tower, ReLU, Tower, Flatten, Linear<2>> {};

/// An activation that ONNX does not have.
struct Bent {
  static constexpr const char* name = "Bent";
  static constexpr bool backward_reads_output = false;
  template <class V>
  static V forward(V x) {
    return x * x * x - x;
  }
  template <class V>
  static V backward(V x, V dy) {
    return (V(3) * x * x - V(1)) * dy;
  }
};
struct Own : Sequential<Input<5>, Linear<12>, Reshape<3, 4>, Activation<Bent>, ReLU, AdaptiveMaxPool1d<2>, Flatten,
                        Linear<3>> {};
struct Flat : Inputs<Named<"left", Input<4>>, Named<"right", Input<3>>> {};
struct TwoInputs : Sequential<Flat, Linear<6>, ReLU, Linear<2>> {};

std::string folder;

template <class Model>
void write(const std::string& name, const About& about = {}) {
  Network<Model> net{{.seed = 7}};
  for (const auto& buffer : net.buffers())
    for (std::size_t i = 0; i < buffer.value.size(); ++i) buffer.value[i] += 0.25f * static_cast<float>(i % 5) - 0.125f;
  Tensor<float, typename Model::InputRow> x(103);
  unsigned state = 1;
  for (float& value : x.values()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1;
  }
  const auto quantized = quantize(net, x);
  export_onnx(quantized, folder + name + ".onnx", about);
  auto workspace = quantized.workspace(x.rows());
  const auto y = quantized.forward(x, workspace);
  const std::vector<float> outputs(y.data, y.data + y.rows * static_cast<std::size_t>(Model::OutputRow::size));
  // A step of the outputs, or of what a last Softmax reads.
  constexpr int last = Program<Model>::op_count - 1;
  const bool soft = int8::Plan<Model>::ops[last].role == int8::Role::row;
  const int value = soft ? Program<Model>::ops[last].inputs[0] : Program<Model>::output_value;
  const std::vector<float> step{quantized.data()->of(value).scale};
  write_file(folder + name + ".rows",
             safetensors_bytes({named("x", x), named("y", std::span(outputs)), named("step", std::span(step))}));
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  folder = std::string(words[1]) + "/";
  write<LeNet>("LeNet", {.classes = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}});
  write<LeNet>("LeNetScaled", {.normalize = Normalize{2, -1}});
  write<Perceptron>("Perceptron");
  write<One>("One");
  write<LimitsFirst>("LimitsFirst");
  write<Residuals>("Residuals");
  write<Depthwise>("Depthwise");
  write<Joined>("Joined");
  write<Windows>("Windows");
  write<Series>("Series");
  write<Reshaped>("Reshaped");
  write<Twice>("Twice");
  write<Own>("Own");
  write<TwoInputs>("TwoInputs");
  return 0;
}
