// SPDX-License-Identifier: MIT
// labels: large gpu
#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("statistics of a sample") { check_cuda(networks::GroupNorms{}); }

TEST_CASE("statistics of a batch") { check_cuda_phases(networks::BatchNorms{}); }

namespace {
struct Ridden : Sequential<Input<2, 9, 8>, BatchNorm2d<>, Conv2d<3, 3, Padding<1>, NoBias>, BatchNorm2d<NoAffine>,
                           MaxPool2d<2>, ReLU, Conv2d<4, 2>, BatchNorm2d<>, Dropout2d<0.5>,
                           Residual<Path<Conv2d<4, 1>, BatchNorm2d<>>>, Flatten, Linear<5>, BatchNorm1d<>, Tanh> {};
/// What runs in inference: each normalize rides on the product before it, and the pool with it.
using InInference = gpu_kernels::Stages<Ridden, false>;
static_assert(InInference::count == 5 && !InInference::of_batch && InInference::at(1).pool >= 0);
static_assert(InInference::at(0).source == Source::map && gpu_kernels::Stages<Ridden>::count == 15);

/// A network whose parameters and buffers are all drawn, with variances above 0.
Batch<double> with_buffers(std::size_t rows) {
  Batch<double> problem(any_model<Ridden>(), rows, 1);
  std::vector<double> drawn = problem.x;
  problem.parameters.resize(Program<Ridden>::storage_size);
  for (const Parameter& p : Program<Ridden>::buffers)
    for (int i = 0; i < p.size; ++i) {
      const double some = drawn[static_cast<std::size_t>(p.offset + i) % drawn.size()];
      problem.parameters[static_cast<std::size_t>(p.offset + i)] = p.start == Start::ones ? 0.5 + some * some : some;
    }
  return problem;
}
}  // namespace

TEST_CASE("in inference batch normalisation rides, by both plans") {
  const Batch<double> problem = with_buffers(7);
  ReferenceEngine<Ridden, double> reference;
  CudaOnHost<Ridden, double, KernelPlan::tiles> tiles;
  CudaOnHost<Ridden, double, KernelPlan::phases> phases;
  const auto wanted = outputs_of(reference, problem);
  CHECK(norm_error(outputs_of(tiles, problem), wanted) < 1e-12);
  CHECK(norm_error(outputs_of(phases, problem), wanted) < 1e-12);
  // Of a row, also alone: inference knows no batch.
  Batch<double> one = problem;
  one.rows = 1;
  one.x.resize(one.inputs);
  const auto y = outputs_of(tiles, one);
  CHECK(norm_error(y, std::vector<double>(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(y.size()))) <
        1e-12);
}

TEST_CASE("the bits of a step do not depend on the number of blocks") {
  const Batch<float> problem{with_buffers(13)};
  const auto step = [&](int blocks) {
    CudaOnHost<Ridden, float, KernelPlan::phases> engine(3, {}, blocks);
    return gradients_of(engine, problem, CrossEntropyLoss{}, 0.1f);
  };
  const auto one = step(1), seven = step(7);
  CHECK(one.loss == seven.loss);
  CHECK(one.parameters == seven.parameters);
  CHECK(one.input == seven.input);
}

TEST_CASE("a mean that is large beside the deviation costs no digits") {
  using Model = Sequential<Input<2, 5, 40>, GroupNorm<1>, Flatten, LayerNorm<>>;
  Batch<double> exact(any_model<Model>(), 5, 1);
  for (double& x : exact.x) x = static_cast<double>(static_cast<float>(4096 + x));
  const Batch<float> rounded(exact);
  ReferenceEngine<Model, double> reference;
  const auto wanted = outputs_of(reference, exact);
  CudaOnHost<Model, float, KernelPlan::tiles> tiles;
  CudaOnHost<Model, float, KernelPlan::phases> phases;
  CHECK(norm_error(outputs_of(tiles, rounded), wanted) < 1e-6);
  CHECK(norm_error(outputs_of(phases, rounded), wanted) < 1e-6);
}
