// SPDX-License-Identifier: MIT
// Eight small networks in one file, as the tests of a program have them.
#include <cstdio>
#include <sinter/sinter.hpp>
#include <vector>

using namespace sinter;

struct Small : Sequential<Input<4>, Linear<8>, ReLU, Linear<3>> {};
struct Smooth : Sequential<Input<4>, Linear<16>, Tanh, Linear<16>, Tanh, Linear<3>> {};
struct Dropped : Sequential<Input<4>, Linear<32>, Sigmoid, Dropout<0.5>, Linear<3>> {};
struct LayerNormed : Sequential<Input<4>, Linear<8>, LayerNorm<>, ReLU, Linear<3>> {};
struct BatchNormed : Sequential<Input<4>, Linear<8>, BatchNorm1d<>, ReLU, Linear<8>, ReLU, Linear<3>> {};
struct Line : Sequential<Input<1, 4>, Conv1d<4, 3>, ReLU, Flatten, Linear<3>> {};
struct Picture : Sequential<Input<1, 8, 8>, Conv2d<4, 3>, MaxPool2d<2>, ReLU, Flatten, Linear<3>> {};
struct Wide : Sequential<Input<4>, Linear<64>, ReLU, Linear<64>, ReLU, Linear<64>, ReLU, Linear<3>> {};

template <class Model>
void train() {
  constexpr std::size_t rows = 100;
  Network<Model> net{{.seed = 1}};
  Tensor<float, typename Network<Model>::InputRow> x(rows);
  std::vector<int> labels(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    labels[i] = static_cast<int>(i % 3);
    x.data()[i] = static_cast<float>(i % 3);
  }
  const auto data = dataset(x, labels);
  fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 10, .epochs = 10});
  std::printf("%f\n", evaluate(net, data, CrossEntropyLoss{}).loss);
}

int main() {
  train<Small>();
  train<Smooth>();
  train<Dropped>();
  train<LayerNormed>();
  train<BatchNormed>();
  train<Line>();
  train<Picture>();
  train<Wide>();
}
