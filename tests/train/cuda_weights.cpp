// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Weights of samples and of classes on the Cuda device: the numbers of the host.
#include <doctest/doctest.h>

#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<7>, Tanh, Linear<4>> {};

template <class D, class Loss>
void check(const D& data, const Loss& loss) {
  const FreshCuda cuda_runtime;
  Network<Net, Cuda> cuda{NetworkOptions{.seed = 5}};
  Network<Net> host{NetworkOptions{.seed = 5}};
  const FitOptions<D> options{.batch_size = 7, .epochs = 2, .validation = &data};
  const SGD sgd{.lr = 0.1, .momentum = 0.9};
  const History got = fit(cuda, data, loss, sgd, options), want = fit(host, data, loss, sgd, options);
  REQUIRE(got.epochs.size() == 2);
  for (std::size_t e = 0; e < 2; ++e) {
    CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-5));
    CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(1e-5));
    if (has_labels<D>) CHECK(got.epochs[e].validation_accuracy == want.epochs[e].validation_accuracy);
  }
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);
  Network<Net> untrained{NetworkOptions{.seed = 5}};
  CHECK(norm_error(values(cuda), values(untrained)) > 1e-3);
}

}  // namespace

TEST_CASE("weights on the Cuda device") {
  const auto x = inputs<Shape<3>>(17);
  const auto y = inputs<Shape<4>>(17);
  const auto labels = labels_for(17, 4);
  std::vector<float> weights;
  for (int i = 0; i < 17; ++i) weights.push_back(static_cast<float>(i % 3));
  const WeightedCrossEntropyLoss<4> uneven{.weight = {1, 0.5, 2, 0.25}, .ignore_index = 1, .label_smoothing = 0.1};
  check(dataset(x, labels), uneven);
  check(dataset(x, labels, weights), uneven);
  check(dataset(x, y, weights), MSELoss{});
}

TEST_CASE("ensembles on the Cuda device: weights, and schedules of epochs that differ from member to member") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(17);
  const auto labels = labels_for(17, 4);
  std::vector<float> weights;
  for (int i = 0; i < 17; ++i) weights.push_back(static_cast<float>(i % 3));
  const auto check_ensemble = [&](const auto& data, const auto& loss, const auto& optimizer) {
    Ensemble<Net, Cuda> cuda(2);
    Ensemble<Net> host(2);
    const EnsembleFitOptions options{.batch_size = 4, .epochs = 3, .held_out = {{0, 1}, {3, 9}}};
    const auto got = fit(cuda, data, loss, optimizer, options), want = fit(host, data, loss, optimizer, options);
    for (std::size_t m = 0; m < 2; ++m) {
      CAPTURE(m);
      REQUIRE(got[m].epochs.size() == 3);
      CHECK(got[m].epochs[2].validation_loss == doctest::Approx(want[m].epochs[2].validation_loss).epsilon(1e-5));
      CHECK(got[m].epochs[2].learning_rate == want[m].epochs[2].learning_rate);
      CHECK(norm_error(values(cuda[m]), values(host[m])) < 1e-5);
    }
    const auto judged = evaluate(cuda, data, loss), by_host = evaluate(host, data, loss);
    for (std::size_t m = 0; m < 2; ++m) CHECK(judged[m].loss == doctest::Approx(by_host[m].loss).epsilon(1e-5));
  };
  const WeightedCrossEntropyLoss<4> uneven{.weight = {1, 0.5, 2, 0.25}, .ignore_index = 1};
  check_ensemble(dataset(x, labels, weights), uneven, SGD{.lr = 0.1, .momentum = 0.9});
  check_ensemble(dataset(x, labels), uneven, SGD{.lr = 0.1});
  check_ensemble(dataset(x, labels), CrossEntropyLoss{},
                 per_epoch(AdamW{.lr = 0.05}, StepLR{.step_size = 1, .gamma = 0.5}));
  check_ensemble(dataset(x, labels), CrossEntropyLoss{}, clip_grad_norm(SGD{.lr = 0.5}, 0.1));
}
