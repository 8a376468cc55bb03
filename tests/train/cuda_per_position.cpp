// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// A class for each pixel or step, by two plans of training.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

constexpr std::size_t rows = 39;
struct Pixels : Sequential<Input<1, 5, 4>, Conv2d<4, 3, Padding<1>>, Tanh, Conv2d<3, 1>> {};
struct Steps : Sequential<Input<5, 4>, PositionwiseLinear<300>, Tanh, PositionwiseLinear<3>> {};
static_assert(plans::plan_of<Pixels, SGD>(16) == CudaPlan::resident &&
              plans::plan_of<Steps, SGD>(16) != CudaPlan::resident);

template <class Model, class Loss>
void check(const Loss& loss) {
  const FreshCuda cuda_runtime;
  const auto x = inputs<typename Model::InputRow>(rows);
  Tensor<float, target_row<Loss, typename Model::OutputRow>> labels(rows);
  for (std::size_t i = 0; i < labels.values().size(); ++i) labels.data()[i] = static_cast<float>(i * 7 % 11 % 3);
  const auto data = dataset(x, labels);
  FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 16, .epochs = 2};
  options.validation = &data;
  Network<Model, Cuda> cuda{NetworkOptions{.seed = 5}};
  Network<Model> host{NetworkOptions{.seed = 5}};
  const History got = fit(cuda, data, loss, SGD{.lr = 0.1}, options),
                want = fit(host, data, loss, SGD{.lr = 0.1}, options);
  REQUIRE(got.epochs.size() == 2);
  for (std::size_t e = 0; e < 2; ++e) {
    CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-5));
    CHECK(std::abs(got.epochs[e].validation_accuracy - want.epochs[e].validation_accuracy) < 0.01);
    CHECK(want.epochs[e].validation_accuracy > 0.2);
    CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(1e-5));
  }
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);
  CHECK(evaluate(cuda, data, loss).accuracy == score(cuda, data, loss));
  CHECK(score(cuda, data, loss) == doctest::Approx(score(host, data, loss)).epsilon(0.01));
}

}  // namespace

TEST_CASE("pixels") { check<Pixels>(at_each_pixel<Pixels>(CrossEntropyLoss{.label_smoothing = 0.1})); }
TEST_CASE("steps") { check<Steps>(at_each_step<Steps>(CrossEntropyLoss{})); }
TEST_CASE("classes with weights") {
  check<Pixels>(at_each_pixel<Pixels>(WeightedCrossEntropyLoss<3>{.weight = {1, 3, 2}, .ignore_index = 1}));
}
