// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Schedules on the Cuda device, where many steps are made without the host: the numbers of the host.
#include <doctest/doctest.h>

#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<7>, Tanh, Linear<2>> {};

template <CudaPlan Plan, class Optimizer>
void check(const Optimizer& optimizer, bool of_epochs) {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(23);
  const auto labels = labels_for(23, 2);
  const auto data = dataset(x, labels);
  Network<Net, CudaWith<Plan>> cuda{NetworkOptions{.seed = 5}};
  Network<Net> host{NetworkOptions{.seed = 5}};
  const FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 10, .epochs = 4};
  const History got = fit(cuda, data, CrossEntropyLoss{}, optimizer, options),
                want = fit(host, data, CrossEntropyLoss{}, optimizer, options);
  REQUIRE(got.epochs.size() == 4);
  for (std::size_t e = 0; e < 4; ++e) {
    CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-5));
    CHECK(got.epochs[e].learning_rate == want.epochs[e].learning_rate);
  }
  CHECK(got.epochs[3].learning_rate < got.epochs[0].learning_rate);
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);
  if (of_epochs) CHECK(got.epochs[0].learning_rate == 0.2);
}

}  // namespace

TEST_CASE("schedules on the Cuda device") {
  const StepLR halves{.step_size = 1, .gamma = 0.5};
  check<CudaPlan::resident>(per_epoch(SGD{.lr = 0.2, .momentum = 0.9}, halves), true);
  check<CudaPlan::resident>(per_step(Adam{.lr = 0.02}, CosineAnnealingLR{.T_max = 12}), false);
  check<CudaPlan::layers>(per_epoch(SGD{.lr = 0.2}, halves), true);
}

TEST_CASE("the optimizers on the Cuda device") {
  const StepLR halves{.step_size = 1, .gamma = 0.5};
  check<CudaPlan::resident>(per_epoch(AdamW{.lr = 0.2}, halves), true);
  check<CudaPlan::resident>(per_epoch(RMSprop{.lr = 0.2, .epsilon = 0.1, .momentum = 0.5, .centered = true}, halves),
                            true);
  check<CudaPlan::layers>(per_epoch(Adagrad{.lr = 0.2}, halves), true);
  check<CudaPlan::resident>(per_epoch(Lion{.lr = 0.2}, halves), true);
}

TEST_CASE("clipping on the Cuda device, by value in its kernels and by norm step by step") {
  const StepLR halves{.step_size = 1, .gamma = 0.5};
  check<CudaPlan::resident>(per_epoch(clip_grad_value(SGD{.lr = 0.2, .momentum = 0.9}, 0.01), halves), true);
  check<CudaPlan::resident>(per_epoch(clip_grad_norm(SGD{.lr = 0.2, .momentum = 0.9}, 0.05), halves), true);
}

TEST_CASE("a moving average on the Cuda device") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(23);
  const auto labels = labels_for(23, 2);
  const auto data = dataset(x, labels);
  const auto train = [&](auto& net) {
    Network<Net> averaged;
    fit(net, data, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.2, .momentum = 0.9}, averaged, 0.7),
        {.batch_size = 10, .epochs = 3});
    return values(averaged);
  };
  Network<Net, CudaWith<CudaPlan::resident>> cuda{{.seed = 5}};
  Network<Net> host{NetworkOptions{.seed = 5}};
  CHECK(norm_error(train(cuda), train(host)) < 1e-5);
}

TEST_CASE("the moving average of a parameter that was frozen goes on from its weights on the Cuda device, too") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(23);
  const auto labels = labels_for(23, 2);
  const auto train = [&](auto& net) {
    Network<Net> averaged;
    Trainer trainer{net, CrossEntropyLoss{}, moving_average(SGD{.lr = 0.2, .momentum = 0.9}, averaged, 0.7)};
    trainer.freeze(0);
    for (int step = 0; step < 3; ++step) trainer.step(x, labels);
    trainer.set_rate_factor(0, 1);
    for (int step = 0; step < 3; ++step) trainer.step(x, labels);
    trainer.store_average();
    return values(averaged);
  };
  Network<Net, CudaWith<CudaPlan::resident>> resident{{.seed = 5}};
  Network<Net, CudaWith<CudaPlan::layers>> layers{{.seed = 5}};
  Network<Net> host{NetworkOptions{.seed = 5}};
  const auto want = train(host);
  CHECK(norm_error(train(resident), want) < 1e-5);
  CHECK(norm_error(train(layers), want) < 1e-5);
}
