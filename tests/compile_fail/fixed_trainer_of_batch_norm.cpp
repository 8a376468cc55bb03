// expected: sinter: a FixedTrainer has no memory for the statistics of batches: this network contains BatchNorm
// SPDX-License-Identifier: MIT
#include <sinter/fixed_trainer.hpp>
using namespace sinter;
struct Net : Sequential<Input<17>, Linear<8>, BatchNorm1d<>, ReLU, Linear<3>> {};
float train(FixedTrainer<Net, CrossEntropyLoss, SGD, 4>& trainer, const float* x, const int (&labels)[4]) {
  return trainer.step(TensorView<const float, Net::InputRow>{x, 4}, std::span(labels));
}
