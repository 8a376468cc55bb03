// expected: sinter: a FixedTrainer does not clip gradients by their norm; give it the optimizer alone
// SPDX-License-Identifier: MIT
#include <sinter/fixed_trainer.hpp>
#include <sinter/optimizer/clip_grad.hpp>
using namespace sinter;
struct Net : Sequential<Input<17>, Linear<8>, ReLU, Linear<3>> {};
using Clipped = decltype(clip_grad_norm(SGD{}, 1.0));
float train(FixedTrainer<Net, CrossEntropyLoss, Clipped, 4>& trainer, const float* x, const int (&labels)[4]) {
  return trainer.step(TensorView<const float, Net::InputRow>{x, 4}, std::span(labels));
}
