// SPDX-License-Identifier: MIT
// labels: large change sanitized
// Layers alone against PyTorch (tests/fixtures/README.md): outputs and all gradients, on the host in float and the reference in
// double, against which others check the host in double.
#include "sinter/layers/positional_encoding.hpp"
#include "support/host.hpp"
#include "support/more_networks.hpp"
#include "support/pytorch_layers.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

std::size_t compared = 0;

template <class Model>
void check(const Safetensors& all, const std::string& name) {
  const GivenGradient given;
  ReferenceEngine<Model, double> reference;
  auto host = MakeHost<>{2}.template make<Model, float>();
  const auto judge = [&](const WorstError& worst, double most) {
    CAPTURE(name);
    CAPTURE(worst.tensor);
    CHECK(worst.error < most);
  };
  judge(layer_error(any_model<Model>(), any_engine<double>(reference, given), all, name), 6e-8);  // rounded to float
  judge(layer_error(any_model<Model>(), any_engine<float>(host, given), all, name), 2e-6);
  for (const auto& entry : all.tensors()) compared += entry.first.rfind(name + ".", 0) == 0;
}
const Safetensors& fixtures() {
  static const Safetensors all(SINTER_FIXTURES "/more_layers.safetensors");
  return all;
}
template <class Shape, class... Layers>
void layer(const std::string& name) {
  check<Sequential<Shape, Layers...>>(fixtures(), name);
}

}  // namespace

TEST_CASE("adaptive pools") {
  layer<Input<3, 5, 4>, AdaptiveAvgPool2d<1>>("adaptive_1");
  layer<Input<2, 7, 5>, AdaptiveAvgPool2d<3, 2>>("adaptive_3_2");
  layer<Input<2, 6, 4>, AdaptiveAvgPool2d<3, 2>>("adaptive_of_6_4");
  layer<Input<1, 5, 4>, AdaptiveAvgPool2d<7, 6>>("adaptive_larger");
  layer<Input<3, 5, 4>, AdaptiveMaxPool2d<1>>("adaptive_max_1");
  layer<Input<2, 7, 5>, AdaptiveMaxPool2d<3, 2>>("adaptive_max_3_2");
  layer<Input<1, 5, 4>, AdaptiveMaxPool2d<7, 6>>("adaptive_max_larger");
  layer<Input<3, 7>, AdaptiveMaxPool1d<3>>("adaptive_max1d");
}

TEST_CASE("PReLU") {
  layer<Input<11>, PReLU<>>("prelu");
  layer<Input<3, 4, 5>, PReLU<>>("prelu_image");
  layer<Input<3, 4, 5>, PReLU<PerChannel>>("prelu_channels");
  layer<Input<7>, PReLU<PerChannel>>("prelu_features");
}

TEST_CASE("convolutions and pools of series") {
  layer<Input<3, 8>, Conv1d<5, 3>>("conv1d");
  layer<Input<4, 9>, Conv1d<6, 4, Stride<2>, Padding<3>, Dilation<2>, Groups<2>, NoBias>>("conv1d_all");
  layer<Input<2, 7>, Conv1d<4, 3, Causal>>("conv1d_causal");
  layer<Input<2, 9>, Conv1d<3, 3, Causal, Dilation<3>>>("conv1d_causal_dilated");
  layer<Input<2, 9>, Conv1d<3, 4, Causal, Stride<2>>>("conv1d_causal_stride");
  layer<Input<3, 8>, MaxPool1d<3, Stride<2>, Padding<1>>>("maxpool1d");
  layer<Input<3, 7>, AvgPool1d<2>>("avgpool1d");
  layer<Input<3, 7>, AdaptiveAvgPool1d<3>>("adaptive1d");
}

TEST_CASE("transposed convolutions") {
  layer<Input<3, 4, 3>, ConvTranspose2d<2, 2, Stride<2>>>("transposed_2");
  layer<Input<2, 3, 4>, ConvTranspose2d<3, Kernel<3, 2>, Padding<1, 0>, NoBias>>("transposed_padding");
  layer<Input<4, 3, 2>, ConvTranspose2d<6, 3, Stride<3, 2>, Padding<1>, OutputPadding<2, 1>, Groups<2>>>(
      "transposed_all");
  layer<Input<2, 4, 3>, ConvTranspose2d<3, Kernel<2, 3>, Dilation<2>>>("transposed_dilated");
}

TEST_CASE("embeddings") {
  layer<Input<6>, Embedding<7, 5>>("embedding");
  layer<Input<3>, Embedding<7, 19>>("embedding_wide");
  layer<Input<6>, Embedding<7, 5, ChannelsFirst>>("embedding_channels_first");
}

TEST_CASE("positional encodings") {
  layer<Input<7, 5>, PositionalEncoding>("positional_encoding");
  layer<Input<301, 4>, PositionalEncoding>("positional_encoding_long");
}

TEST_CASE("a highway") { layer<Input<5>, Highway<Path<Linear<5>, ReLU>, Path<Linear<5>>>>("highway"); }

TEST_CASE("products") {
  layer<Input<5>, Product<Path<Linear<4>>, Path<Linear<4>, Sigmoid>>>("gated_linear");
  layer<Input<3, 9>, Product<Path<Conv1d<4, 3, Dilation<2>>, Tanh>, Path<Conv1d<4, 3, Dilation<2>>, Sigmoid>>>(
      "wavenet");
  layer<
      Input<6, 4, 3>,
      Product<Path<>, Path<AdaptiveAvgPool2d<1>, Conv2d<2, 1>, ReLU, Conv2d<6, 1>, Sigmoid, AdaptiveAvgPool2d<4, 3>>>>(
      "squeeze_excite");
}

TEST_CASE("the larger of two branches") {
  layer<Input<5>, Maximum<Path<Linear<4>, ReLU>, Path<Linear<4>, ReLU>>>("maximum");
}

TEST_CASE("networks") {
  layer<Input<9>, Embedding<7, 5, ChannelsFirst>, Conv1d<6, 3>, ReLU, AdaptiveAvgPool1d<1>, Flatten, Linear<3>>(
      "words");
  layer<Input<2, 6, 8>, Conv2d<3, 3, Padding<1>>, PReLU<>,
        Concat<Path<>, Path<MaxPool2d<2>, Conv2d<4, 3, Padding<1>>, ReLU, ConvTranspose2d<3, 2, Stride<2>>>>,
        Conv2d<1, 3, Padding<1>>>("u_shaped");
}

TEST_CASE("no case was forgotten") { CHECK(compared == fixtures().tensors().size()); }
