// SPDX-License-Identifier: MIT
// labels: large gpu
// Large products of numbers that are rounded as tensor cores want them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/checked_executor.hpp"
#include "support/cuda_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Perceptron : Sequential<Input<130>, Linear<67>, Tanh, Dropout<0.3>, Linear<130>, Sigmoid, Linear<7>> {};
struct Pooled : Sequential<Input<3, 10, 9>, Conv2d<33, 3, Padding<1>>, MaxPool2d<2>, Tanh, Conv2d<17, 2>, Flatten,
                           Linear<65>, Tanh, Linear<2>> {};
struct Strided : Sequential<Input<16, 7, 8>, Conv2d<16, 3, Stride<2>, Padding<1>, NoBias>, Tanh, Conv2d<65, 1>, Tanh,
                            Flatten, Linear<3>> {};

/// Outputs, gradients of weights and of the input.
struct Numbers {
  std::vector<double> all;
  template <class T>
  void add(const std::vector<T>& numbers) {
    for (const T number : numbers) all.push_back(static_cast<double>(number));
  }
};
template <class Model, class T, class Engine>
Numbers computed(Engine&& engine, std::size_t rows) {
  const Problem<Model, T> problem{Problem<Model>(rows, 3)};
  std::vector<T> y(rows * problem.outputs), gradient(problem.parameters.size()), input(problem.x.size());
  engine.forward(problem.parameters.data(), problem.x.data(), rows, y.data());
  engine.accumulate(problem.parameters.data(), problem.batch(), MSELoss{},
                    GradientSum{T(0.5), gradient.data(), input.data()});
  Numbers numbers;
  numbers.add(y);
  numbers.add(gradient);
  numbers.add(input);
  return numbers;
}
template <class Model, CudaProducts Products>
Numbers by(std::size_t rows) {
  return computed<Model, float>(CudaOnHost<Model, float, KernelPlan::phases, HostLauncher, Products>(2), rows);
}

double distance(const Numbers& a, const Numbers& b) {
  double squares = 0, all = 0;
  for (std::size_t i = 0; i < a.all.size(); ++i) {
    squares += (a.all[i] - b.all[i]) * (a.all[i] - b.all[i]);
    all += b.all[i] * b.all[i];
  }
  return std::sqrt(squares / all);
}

}  // namespace

TEST_CASE_TEMPLATE("products are rounded as asked for, and no more", Model, Perceptron, Pooled, Strided) {
  const std::size_t rows = 9;
  const Numbers exact = computed<Model, double>(ReferenceEngine<Model, double>{}, rows);
  const double by_float32 = distance(by<Model, CudaProducts::float32>(rows), exact),
               by_tf32x3 = distance(by<Model, CudaProducts::tf32x3>(rows), exact),
               by_tf32 = distance(by<Model, CudaProducts::tf32>(rows), exact),
               by_bf16 = distance(by<Model, CudaProducts::bf16>(rows), exact);
  CAPTURE(by_float32);
  CAPTURE(by_tf32x3);
  CAPTURE(by_tf32);
  CAPTURE(by_bf16);
  CHECK(by_tf32x3 < 3e-6);
  CHECK(by_tf32x3 < 3 * by_float32 + 1e-7);
  CHECK(by_tf32 < 1e-3);
  CHECK(by_tf32 > 10 * by_tf32x3);
  CHECK(by_bf16 < 1e-2);
  CHECK(by_bf16 > 3 * by_tf32);
}

TEST_CASE_TEMPLATE("doubles are not rounded", Model, Perceptron) {
  const Numbers exact = computed<Model, double>(ReferenceEngine<Model, double>{}, 9);
  const auto own =
      computed<Model, double>(CudaOnHost<Model, double, KernelPlan::phases, HostLauncher, CudaProducts::bf16>(2), 9);
  CHECK(distance(own, exact) < 1e-12);
}

TEST_CASE_TEMPLATE("products of tensor cores touch nothing that they must not", Model, Perceptron, Pooled, Strided) {
  Checker checker(1);
  const Problem<Model, float> problem{Problem<Model>(7, 3)};
  CudaOnHost<Model, float, KernelPlan::phases, CheckedLauncher, CudaProducts::bf16> engine(2,
                                                                                           CheckedLauncher{&checker});
  std::vector<float> y(7 * problem.outputs), gradient(problem.parameters.size()), input(problem.x.size());
  engine.forward(problem.parameters.data(), problem.x.data(), 7, y.data());
  engine.accumulate(problem.parameters.data(), problem.batch(), MSELoss{},
                    GradientSum{0.5f, gradient.data(), input.data()});
  for (const auto& finding : checker.findings()) FAIL_CHECK(finding);
}

TEST_CASE("numbers that are not finite stay so") {
  for (const float x : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    CHECK_FALSE(std::isfinite(gpu_kernels::TensorCore<CudaProducts::tf32>::rounded(x)));
    CHECK_FALSE(std::isfinite(gpu_kernels::TensorCore<CudaProducts::bf16>::rounded(x)));
  }
  CHECK(gpu_kernels::TensorCore<CudaProducts::bf16>::rounded(3.4e38f) == std::numeric_limits<float>::infinity());
}
