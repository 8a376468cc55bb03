// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
// Attention and blocks of transformers against PyTorch, alone and in ten steps of a network (tests/fixtures/README.md).
#include <cstddef>
#include <string>

#include "support/host.hpp"
#include "support/pytorch_layers.hpp"
#include "support/pytorch_training.hpp"

using namespace sinter;
using namespace sinter_test;
using internal::ReferenceEngine;

namespace {

std::size_t compared = 0;
const Safetensors& fixture() {
  static const Safetensors all(std::string(SINTER_FIXTURES) + "/attention.safetensors");
  return all;
}
template <class Shape, class Layer>
void check_layer(const std::string& name) {
  using Model = Sequential<Shape, Layer>;
  const GivenGradient given;
  ReferenceEngine<Model, double> reference;
  auto host = MakeHost<>{2}.template make<Model, float>();
  CAPTURE(name);
  CHECK(layer_error(any_model<Model>(), any_engine<double>(reference, given), fixture(), name).error < 6e-8);
  CHECK(layer_error(any_model<Model>(), any_engine<float>(host, given), fixture(), name).error < 2e-6);
  for (const auto& entry : fixture().tensors()) compared += entry.first.rfind(name + ".", 0) == 0;
}

struct Tagger : Sequential<Input<7, 6>, TransformerEncoderLayer<6, 2, 9, NormFirst, Causal, WithDropout<0>>,
                           TransformerEncoderLayer<6, 3, 8, WithDropout<0>>, PositionwiseLinear<2>> {};

struct RotaryTagger
    : Sequential<Input<7, 8>, TransformerEncoderLayer<8, 2, 9, NormFirst, Causal, Rotary, WithDropout<0>>,
                 PositionwiseLinear<2>> {};

template <class Precision, class Device>
void check_steps(const Device& device, double most, double most_after_ten) {
  check_training_against_pytorch<Tagger, Shape<7, 2>, Precision>(device, MSELoss{}, "tagger", most, most_after_ten,
                                                                 "attention");
  check_training_against_pytorch<RotaryTagger, Shape<7, 2>, Precision>(device, MSELoss{}, "rotary_tagger", most,
                                                                       most_after_ten, "attention");
}

}  // namespace

TEST_CASE("products of two values give the numbers of PyTorch") {
  check_layer<Input<5, 3>, MatrixProduct<Path<>, Path<Tanh>, TransposeSecond, Factor<0.5>>>("matmul");
  check_layer<Input<2, 9, 4>, MatrixProduct<Path<>, Path<Tanh, Transpose<2, 3>>, Factor<0.5>>>("matmul_image");
  check_layer<Input<6, 3>, PositionwiseLinear<7>>("linear");
  check_layer<Input<1, 5>, PositionwiseLinear<2, NoBias>>("linear_no_bias");
}
TEST_CASE("MultiheadAttention gives the numbers of PyTorch") {
  check_layer<Input<5, 6>, MultiheadAttention<6, 2>>("attention");
  check_layer<Input<1, 1>, MultiheadAttention<1, 1>>("attention_of_one");
  check_layer<Input<11, 8>, MultiheadAttention<8, 4, Causal>>("attention_causal");
  check_layer<Input<4, 6>, MultiheadAttention<6, 3, NoBias>>("attention_no_bias");
}
TEST_CASE("TransformerEncoderLayer gives the numbers of PyTorch") {
  check_layer<Input<5, 6>, TransformerEncoderLayer<6, 2, 9, WithDropout<0>>>("encoder");
  check_layer<Input<7, 8>, TransformerEncoderLayer<8, 2, 5, NormFirst, WithActivation<GELU>, WithDropout<0>>>(
      "encoder_gelu");
  check_layer<Input<6, 4>, TransformerEncoderLayer<4, 4, 3, Causal, Epsilon<1e-3>, NoBias, WithDropout<0>>>(
      "encoder_causal");
}
TEST_CASE("rotary positions give the numbers of PyTorch") {
  check_layer<Input<7, 8>, RotaryEmbedding<4>>("rotary");
  check_layer<Input<1, 6>, RotaryEmbedding<2>>("rotary_of_pairs");
  check_layer<Input<9, 8>, MultiheadAttention<8, 2, Rotary>>("attention_rotary");
  check_layer<Input<19, 12>, MultiheadAttention<12, 2, Causal, Rotary>>("attention_rotary_causal");
}
TEST_CASE("no case was forgotten") {
  std::size_t of_layers = 0;
  for (const auto& entry : fixture().tensors()) of_layers += entry.first.find("tagger.") == std::string::npos;
  CHECK(compared == of_layers);
}
TEST_CASE("ten steps of the host in double") { check_steps<Float64>(Host{.threads = 2}, 1e-6, 1e-6); }
