// SPDX-License-Identifier: MIT
// As train.cpp: the layers that it has not, in float and in double.
#include "train.hpp"

namespace {

struct Batches : Sequential<Input<6>, Linear<17>, BatchNorm1d<>, ReLU, Linear<5>> {};
struct Image
    : Sequential<Input<2, 8, 7>, Conv2d<8, 3, Padding<1>, NoBias>, BatchNorm2d<>, SiLU, Conv2d<6, 3, Groups<2>>,
                 GroupNorm<3>, LeakyReLU<>, InstanceNorm2d<>, Residual<Path<BatchNorm2d<>, PReLU<>, Conv2d<6, 1>>>,
                 ConvTranspose2d<4, 2, Stride<2>>, AdaptiveAvgPool2d<3>, GELU, Flatten, LayerNorm<>,
                 Highway<Path<Linear<36>, Tanh>, Path<Linear<36>>>, Linear<5>, LogSoftmax> {};
struct Repeated : Shared<Conv1d<3, 3, Causal>, Softplus<>> {};
struct Series : Sequential<Input<12>, Embedding<40, 3, ChannelsFirst>, Repeated, Repeated, BatchNorm1d<>, Hardswish,
                           Concat<Path<MaxPool1d<3>>, Path<AvgPool1d<3>, ELU<>>>, Flatten,
                           Heads<Path<Linear<5>>, Path<Slice<2, 7>, Linear<3>>>> {};

template <class Precision>
void all(std::FILE* to) {
  const SGD sgd{.lr = 0.1, .momentum = 0.9};
  train(Network<Batches, Host, Precision>{{.seed = 1}}, CrossEntropyLoss{}, sgd, labels(), to);
  train(Network<Image, Host, Precision>{{.seed = 2}}, NLLLoss{}, sgd, labels(), to);

  auto words = drawn<typename Series::InputRow>(3);
  for (float& word : words.values()) word = static_cast<float>(static_cast<int>((word + 1) * 20));
  auto targets = drawn<Shape<4>>(4);
  for (std::size_t i = 0; i < 21; ++i) targets(i, 0) = static_cast<float>(i % 5);
  train(Network<Series, Host, Precision>{{.seed = 3}}, head_losses<Series>(CrossEntropyLoss{}, 0.3 * HuberLoss{}), sgd,
        targets, to, words);
}

}  // namespace

int main(int, char** arguments) {
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  all<Float32>(to);
  all<Float64>(to);
  return std::fclose(to);
}
