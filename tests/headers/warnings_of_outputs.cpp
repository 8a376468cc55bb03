// SPDX-License-Identifier: MIT
// What users compile, again: networks of each number of outputs from FIRST_OUTPUTS to LAST_OUTPUTS, trained by fit and by a
// loop of your own, evaluated and used for inference.
#include <cstddef>
#include <cstdio>
#include <sinter/sinter.hpp>
#include <span>
#include <utility>
#include <vector>

using namespace sinter;

template <int Outputs>
struct Classifier : Sequential<Input<3>, Linear<9>, ReLU, Linear<Outputs>> {};
template <int Outputs>
struct Autoencoder : Sequential<Input<Outputs>, Linear<40>, Tanh, Linear<Outputs>, Sigmoid> {};

template <int Outputs>
void classify() {
  const Tensor<float, Shape<3>> x(50);
  const std::vector<int> labels(50);
  Network<Classifier<Outputs>> net;
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}};
  trainer.step(x, labels);
  for (std::size_t first = 0; first < 50; first += 10)
    trainer.accumulate(x.view().slice(first, 10), std::span(labels).subspan(first, 10));
  trainer.update();
  std::printf("loss %.4f\n", evaluate(net, dataset(x, labels), CrossEntropyLoss{}).loss);
}
template <int Outputs>
void encode() {
  const Tensor<float, Shape<Outputs>> x(50);
  Network<Autoencoder<Outputs>> net;
  fit(net, dataset(x, x), MSELoss{}, Adam{.lr = 0.01}, {.epochs = 1});
  const auto y = predict(net, x);
  auto workspace = net.workspace(50);
  const auto same = net.forward(x, workspace);
  std::printf("%.4f %.4f\n", static_cast<double>(y.values()[0]), static_cast<double>(same.data[0]));
}

int main() {
  []<int... Index>(std::integer_sequence<int, Index...>) {
    (classify<FIRST_OUTPUTS + Index>(), ...);
    (encode<FIRST_OUTPUTS + Index>(), ...);
  }(std::make_integer_sequence<int, LAST_OUTPUTS - FIRST_OUTPUTS + 1>{});
}
