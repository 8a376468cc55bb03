// SPDX-License-Identifier: MIT
// A network that is trained through the C interface has the bits of the same training in C++, by every loss, optimizer and
// schedule. It is compiled for the instruction set that SINTER_ISA names.
#include <nets.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "nets.hpp"

namespace {

int failures = 0;
void check(bool right, const std::string& what) {
  if (!right) std::printf("wrong: %s\n", what.c_str()), ++failures;
}
void call(int code, const std::string& what) { check(code == nets_OK, what + ": " + nets_error()); }

constexpr std::size_t rows = 101;
const Tensor<float, Shape<2>> x = [] {
  Tensor<float, Shape<2>> made(rows);
  for (std::size_t i = 0; i < rows * 2; ++i) made.data()[i] = static_cast<float>((i * 37 % 101)) / 50 - 1;
  return made;
}();
const std::vector<int> labels = [] {
  std::vector<int> made;
  for (std::size_t i = 0; i < rows; ++i) made.push_back(x.data()[2 * i] > x.data()[2 * i + 1]);
  return made;
}();
const std::vector<float> weights = [] {
  std::vector<float> made;
  for (std::size_t i = 0; i < rows; ++i) made.push_back(static_cast<float>(i % 3));
  return made;
}();
const Tensor<float, Shape<2>> targets = [] {
  Tensor<float, Shape<2>> made(rows);
  for (std::size_t i = 0; i < rows * 2; ++i) made.data()[i] = static_cast<float>(i % 5) / 4;
  return made;
}();

template <class Net, class Loss, class Optimizer>
void compare(const char* network, const std::string& loss, const std::string& optimizer, const std::string& schedule,
             bool weighted, const Loss& own_loss, const Optimizer& own_optimizer) {
  const std::string what = std::string(network) + " " + loss + " " + optimizer + " " + schedule;
  constexpr bool classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  nets_network* net = nullptr;
  nets_trainer* trainer = nullptr;
  call(nets_create(network, "host:2", 7, &net), what);
  call(nets_trainer_create(net, loss.c_str(), optimizer.c_str(), schedule.c_str(), &trainer), what);
  const nets_rows given{rows, x.data(), classes ? labels.data() : nullptr, classes ? nullptr : targets.data(),
                        weighted ? weights.data() : nullptr};
  nets_fit_options options;
  nets_fit_defaults(&options);
  options.batch_size = 10;
  for (int i = 0; i < 3; ++i) call(nets_fit(trainer, &given, &options), what);

  Network<Net> own(Host{.threads = 1}, {.seed = 7});
  const auto train = [&](const auto& data) {
    return fit(own, data, own_loss, own_optimizer, {.batch_size = 10, .epochs = 3});
  };
  const auto with = [&](const auto& wanted) {
    return weighted ? train(dataset(x, wanted, weights)) : train(dataset(x, wanted));
  };
  const History history = [&] {
    if constexpr (classes)
      return with(labels);
    else
      return with(targets);
  }();
  check(history.stopped.empty(), what + " stopped: " + history.stopped);
  for (const auto& parameter : own.parameters()) {
    const float* const numbers = nets_parameter(net, std::string(parameter.name).c_str());
    check(
        numbers != nullptr && std::memcmp(numbers, parameter.value.data(), parameter.value.size() * sizeof(float)) == 0,
        what + ": " + std::string(parameter.name) + " differs");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    nets_epoch epoch;
    call(nets_epoch_record(trainer, i, &epoch), what);
    check(epoch.epoch == history.epochs[i].epoch && epoch.train_loss == history.epochs[i].train_loss &&
              epoch.learning_rate == history.epochs[i].learning_rate,
          what + ": epoch " + std::to_string(i) + " differs");
  }
  nets_trainer_destroy(trainer);
  nets_destroy(net);
}

}  // namespace

int main() {
  std::printf("%s\n", nets_isa());
  for (const bool weighted : {false, true}) {
    const auto by_optimizer = [&](const char* text, const auto& optimizer) {
      compare<Disc>("Disc", "CrossEntropyLoss", text, "", weighted, CrossEntropyLoss{}, optimizer);
    };
    by_optimizer("SGD(lr=0.1)", SGD{.lr = 0.1});
    by_optimizer("SGD(lr=0.1, momentum=0.9, nesterov=true)", SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true});
    by_optimizer("Adam(lr=0.01)", Adam{.lr = 0.01});
    by_optimizer("AdamW(lr=0.01, beta2=0.99, weight_decay=0.1)", AdamW{.lr = 0.01, .beta2 = 0.99, .weight_decay = 0.1});
    by_optimizer("RMSprop(centered=true)", RMSprop{.centered = true});
    by_optimizer("Adagrad", Adagrad{});
    by_optimizer("Lion(lr=0.001)", Lion{.lr = 0.001});
    const auto by_loss = [&](const char* text, const auto& loss) {
      compare<Disc>("Disc", text, "Adam(lr=0.01)", "", weighted, loss, Adam{.lr = 0.01});
    };
    by_loss("CrossEntropyLoss(label_smoothing=0.1)", CrossEntropyLoss{.label_smoothing = 0.1});
    by_loss("MSELoss", MSELoss{});
    by_loss("L1Loss()", L1Loss{});
    by_loss("SmoothL1Loss( beta = 0.5 )", SmoothL1Loss{.beta = 0.5});
    by_loss("HuberLoss(delta=0.5)", HuberLoss{.delta = 0.5});
    by_loss("BCEWithLogitsLoss(pos_weight=2)", BCEWithLogitsLoss{.pos_weight = 2});
    const Adam adam{.lr = 0.01};
    compare<Logs>("Logs", "NLLLoss", "Adam(lr=0.01)", "", weighted, NLLLoss{}, adam);
    compare<Logs>("Logs", "KLDivLoss(batchmean=true)", "Adam(lr=0.01)", "", weighted, KLDivLoss{.batchmean = true},
                  adam);
    const auto by_schedule = [&](const char* text, const auto& optimizer) {
      compare<Disc>("Disc", "CrossEntropyLoss", "Adam(lr=0.01)", text, weighted, CrossEntropyLoss{}, optimizer);
    };
    by_schedule("StepLR(step_size=1, gamma=0.5)", per_epoch(adam, StepLR{.step_size = 1, .gamma = 0.5}));
    by_schedule("per_epoch(ExponentialLR(gamma=0.5))", per_epoch(adam, ExponentialLR{.gamma = 0.5}));
    by_schedule("per_step(LinearLR(total_iters=20))", per_step(adam, LinearLR{.total_iters = 20}));
    by_schedule("per_step(OneCycleLR(total_steps=33))", per_step(adam, OneCycleLR{.total_steps = 33}));
    by_schedule("per_step(WarmUp(total_iters=4, start_factor=0.1, then=CosineAnnealingLR(T_max=30, eta_min=1e-3)))",
                per_step(adam, WarmUp{4, CosineAnnealingLR{.T_max = 30, .eta_min = 1e-3}, 0.1}));
  }
  if (failures == 0) std::printf("same\n");
  return failures != 0;
}
