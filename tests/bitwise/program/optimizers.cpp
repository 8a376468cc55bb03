// SPDX-License-Identifier: MIT
// As train.cpp: every optimizer, schedule and loss, in float and in double.
#include "train.hpp"

namespace {

struct Net : Sequential<Input<4>, Linear<9>, Tanh, Linear<3>> {};

template <class Precision, class Optimizer, class Loss = MSELoss>
void learn(const Optimizer& optimizer, std::FILE* to, Loss loss = {}) {
  Tensor<float, Shape<3>> targets = drawn<Shape<3>>(6);
  if (std::is_same_v<Loss, BCEWithLogitsLoss>)  // probabilities
    for (float& target : targets.values()) target = (target + 1) / 2;
  train(Network<Net, Host, Precision>{{.seed = 5}}, loss, optimizer, targets, to);
}
template <class Precision>
void all(std::FILE* to) {
  learn<Precision>(SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.1, .weight_decay = 0.01}, to, L1Loss{});
  learn<Precision>(Adam{.lr = 0.013, .weight_decay = 0.1}, to, SmoothL1Loss{});
  learn<Precision>(AdamW{.lr = 0.013}, to, HuberLoss{});
  learn<Precision>(Lion{.lr = 0.013, .weight_decay = 0.1}, to, BCEWithLogitsLoss{});
  learn<Precision>(Adagrad{.lr = 0.013, .lr_decay = 0.07, .weight_decay = 0.1}, to);
  learn<Precision>(RMSprop{.lr = 0.013, .weight_decay = 0.1, .momentum = 0.7, .centered = true}, to);
  learn<Precision>(clip_grad_value(SGD{.lr = 0.1}, 0.01), to);
  learn<Precision>(clip_grad_norm(SGD{.lr = 0.1}, 0.01), to);

  const SGD sgd{.lr = 0.1, .momentum = 0.9};
  learn<Precision>(per_step(sgd, StepLR{.step_size = 2, .gamma = 0.3}), to);
  learn<Precision>(per_step(sgd, MultiStepLR{.milestones = {1, 3}, .gamma = 0.3}), to);
  learn<Precision>(per_step(sgd, ExponentialLR{.gamma = 0.7}), to);
  learn<Precision>(per_step(sgd, CosineAnnealingLR{.T_max = 7, .eta_min = 0.003}), to);
  learn<Precision>(per_step(sgd, LinearLR{.start_factor = 0.1, .end_factor = 0.7, .total_iters = 7}), to);
  learn<Precision>(per_step(sgd, WarmUp{3, CosineAnnealingLR{.T_max = 7}, 0.1}), to);
  learn<Precision>(per_step(sgd, OneCycleLR{.total_steps = 9}), to);
  learn<Precision>(per_step(sgd, OneCycleLR{.total_steps = 9, .three_phase = true, .linear = true}), to);
}

}  // namespace

int main(int, char** arguments) {
  std::FILE* to = std::fopen(arguments[1], "wb");
  if (to == nullptr) return 1;
  all<Float32>(to);
  all<Float64>(to);
  // Rates alone, of more steps than a test trains.
  for (long t = 0; t < 1000; ++t)
    for (const double rate :
         {LinearLR{.start_factor = 0.1, .end_factor = 0.7, .total_iters = 999}(0.3, t),
          OneCycleLR{.total_steps = 1000}(0.3, t), OneCycleLR{.total_steps = 1000, .linear = true}(0.3, t),
          CosineAnnealingLR{.T_max = 999, .eta_min = 0.003}(0.3, t),
          Adagrad{.lr = 0.3, .lr_decay = 0.07}.at<double>(t).rate})
      std::fwrite(&rate, sizeof rate, 1, to);
  return std::fclose(to);
}
