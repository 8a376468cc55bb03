// SPDX-License-Identifier: MIT
// labels: large O1 gpu
// Products that the whole grid computes in pieces, through the shared memory of blocks.
#include <cstddef>
#include <type_traits>
#include <vector>

#include "support/checked_executor.hpp"
#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Perceptron
    : Sequential<Input<130>, Linear<67>, Tanh, Dropout<0.3>, Linear<130>, Sigmoid, Linear<7>, LogSoftmax> {};
struct Pooled : Sequential<Input<3, 10, 9>, Conv2d<33, 3, Padding<1>>, MaxPool2d<2>, Tanh, Dropout2d<0.5>,
                           Conv2d<17, 2>, MaxPool2d<Kernel<1, 2>>, Flatten, Linear<65>, Tanh, Linear<2>> {};
struct Strided : Sequential<Input<16, 7, 8>, Conv2d<16, 3, Stride<2>, Padding<1>, NoBias>, Tanh,
                            Residual<Path<Conv2d<16, 3, Padding<2>, Dilation<2>>, Sigmoid>>, Conv2d<65, 1>, Tanh,
                            Flatten, Linear<3>> {};

template <class Model, int Stage>
using At = gpu_kernels::Geometry<Model, Stage>;
constexpr int grid = gpu_kernels::Expected::grid;
static_assert(gpu_kernels::in_pieces<At<Perceptron, 1>, grid> &&
              gpu_kernels::ForwardWork<At<Perceptron, 1>, grid>::parts == 1 &&
              gpu_kernels::ForwardWork<At<Perceptron, 0>, grid>::parts == 2 &&
              gpu_kernels::InputWork<At<Perceptron, 1>, grid>::parts == 2 &&
              gpu_kernels::WeightWork<At<Perceptron, 1>, grid>::parts == 4);
static_assert(gpu_kernels::in_pieces<At<Pooled, 0>, grid> && gpu_kernels::in_pieces<At<Pooled, 1>, grid>);
static_assert(gpu_kernels::in_pieces<At<Strided, 0>, grid> && !gpu_kernels::in_pieces<At<Strided, 0>, 64>);

/// A forward pass and a step under a checker.
template <class Model>
void step(Checker& checker, std::size_t rows) {
  const Problem<Model, float> problem{Problem<Model>(rows, 3)};
  CudaOnHost<Model, float, KernelPlan::phases, CheckedLauncher> engine(2, CheckedLauncher{&checker});
  std::vector<float> y(rows * problem.outputs), gradient(problem.parameters.size()), input(problem.x.size());
  engine.forward(problem.parameters.data(), problem.x.data(), rows, y.data());
  engine.accumulate(problem.parameters.data(), problem.batch(), CrossEntropyLoss{},
                    GradientSum{0.5f, gradient.data(), input.data()});
}

}  // namespace

TEST_CASE_TEMPLATE("products in pieces", Model, Perceptron, Pooled, Strided) {
  check_cuda_phases(TypeList<Case<Model, MSELoss>>{});
}

TEST_CASE_TEMPLATE("products in pieces touch nothing that they must not", Model, Perceptron, Pooled, Strided) {
  for (const unsigned seed : {1u, 2u}) {
    Checker checker(seed);
    step<Model>(checker, 7);
    for (const auto& finding : checker.findings()) FAIL_CHECK(finding);
  }
}

TEST_CASE("a barrier left out is noticed") {
  int noticed = 0, tried = 0;
  for (int nth = 3; nth < 200; nth += 13, ++tried) {
    Checker checker(1, {Fault::barrier_left_out, nth});
    step<Perceptron>(checker, 7);
    noticed += !checker.clean();
  }
  CHECK(noticed > tried / 2);
}
