// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Layers in several places of a network: what a step makes of the buffers they share, and fit, on every device.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Norm : Shared<BatchNorm1d<>> {};
struct Twice : Sequential<Input<2>, Concat<Path<Slice<0, 1>, Norm>, Path<Slice<1, 1>, Norm>>, Linear<2>> {};

/// Running mean and variance after one step, as PyTorch's: first those of one place follow the batch, then of the other.
template <class Device>
void check_buffers() {
  Network<Twice, Device, Float64> net{NetworkOptions{.seed = 1}};
  const Tensor<double, Shape<2>> x(std::vector<double>{1, 10, 2, 14, 6, 12});
  const std::vector<int> labels{0, 1, 0};
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  trainer.step(x, labels);
  const auto all = values(net);
  const auto buffer = [&](std::size_t i) { return all[static_cast<std::size_t>(Program<Twice>::buffers[i].offset)]; };
  CHECK(buffer(0) == doctest::Approx(0.9 * (0.1 * 3) + 0.1 * 12).epsilon(1e-12));
  CHECK(buffer(1) == doctest::Approx(0.9 * (0.9 * 1 + 0.1 * 7) + 0.1 * 4).epsilon(1e-12));
}

struct Tower : Shared<Linear<6>, Tanh, Linear<5>> {};
struct Siamese
    : Sequential<Input<8>, Concat<Path<Slice<0, 4>, Tower>, Path<Slice<4, 4>, Tower>>, ReLU, Linear<4>, LogSoftmax> {};
struct Look : Shared<Conv2d<3, 3, Padding<1>>, MaxPool2d<2>, ReLU> {};
struct Images : Sequential<Input<2, 8, 6>, Concat<Path<Slice<0, 1>, Look>, Path<Slice<1, 1>, Look>>, Flatten, Linear<4>,
                           LogSoftmax> {};

template <class Model, CudaPlan Plan>
void check_fit() {
  const FreshCuda cuda_runtime;
  const auto x = inputs<typename Model::InputRow>(39);
  const auto labels = labels_for(39, 4);
  const auto data = dataset(x, labels);
  Network<Model, CudaWith<Plan>> cuda{NetworkOptions{.seed = 5}};
  Network<Model> host{NetworkOptions{.seed = 5}};
  const SGD optimizer{.lr = 0.05, .momentum = 0.9};
  fit(cuda, data, NLLLoss{}, optimizer, {.batch_size = 16, .epochs = 3});
  fit(host, data, NLLLoss{}, optimizer, {.batch_size = 16, .epochs = 3});
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);
}

}  // namespace

TEST_CASE("buffers follow one place after another") {
  check_buffers<Reference>();
  check_buffers<Host>();
  const FreshCuda cuda_runtime;
  check_buffers<Cuda>();
}
TEST_CASE("fit by the plan resident") {
  check_fit<Siamese, CudaPlan::resident>();
  check_fit<Images, CudaPlan::resident>();
}
TEST_CASE("fit by the plan pair") {
  check_fit<Siamese, CudaPlan::pair>();
  check_fit<Images, CudaPlan::pair>();
}
TEST_CASE("fit by the plan layers") {
  check_fit<Siamese, CudaPlan::layers>();
  check_fit<Images, CudaPlan::layers>();
}
