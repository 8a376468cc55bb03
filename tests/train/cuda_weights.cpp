// SPDX-License-Identifier: MIT
// labels: cuda
// Weights of samples and of classes on the Cuda device: the numbers of the host.
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
