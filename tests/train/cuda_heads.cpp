// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Networks with several outputs, by every plan of training, on data of the host and of the device.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

using Outputs = Heads<Path<Linear<4>>, Path<Linear<5>, Tanh, Linear<2>>, Path<Linear<3>, LogSoftmax>>;
struct Small : Sequential<Input<3>, Linear<7>, Tanh, Outputs> {};
struct Middle
    : Sequential<Input<1, 9, 8>, Conv2d<5, 3>, MaxPool2d<Kernel<1, 2>>, ReLU, Flatten, Linear<300>, ReLU, Outputs> {};
struct Wide : Sequential<Input<3>, Linear<16000>, Tanh, Outputs> {};
using plans::plan_of;
static_assert(plan_of<Small, SGD>(16) == CudaPlan::resident && plan_of<Middle, SGD>(16) == CudaPlan::pair &&
              plan_of<Wide, SGD>(16) == CudaPlan::layers);

template <class Model>
constexpr auto loss_of = head_losses<Model>(CrossEntropyLoss{}, 0.5 * HuberLoss{}, 2 * NLLLoss{});

Tensor<float, Shape<4>> targets() {
  auto wanted = inputs<Shape<4>>(39, 1, 7);
  for (std::size_t i = 0; i < 39; ++i) {
    wanted(i, 0) = static_cast<float>(i * 7 % 4);
    wanted(i, 3) = static_cast<float>(i % 3);
  }
  return wanted;
}

/// What two fits have recorded of each head.
void compare(const History& got, const History& want, double tolerance = 1e-5) {
  REQUIRE(got.epochs.size() == want.epochs.size());
  for (std::size_t e = 0; e < got.epochs.size(); ++e) {
    REQUIRE(got.epochs[e].heads.size() == want.epochs[e].heads.size());
    for (std::size_t h = 0; h < got.epochs[e].heads.size(); ++h) {
      const HeadRecord &a = got.epochs[e].heads[h], &b = want.epochs[e].heads[h];
      CHECK(a.train_loss == doctest::Approx(b.train_loss).epsilon(tolerance));
      if (!is_finite(b.validation_loss)) continue;
      CHECK(a.validation_loss == doctest::Approx(b.validation_loss).epsilon(tolerance));
      CHECK(is_finite(a.validation_accuracy) == is_finite(b.validation_accuracy));
      CHECK((a.validation_accuracy == b.validation_accuracy || !is_finite(b.validation_accuracy)));
    }
  }
}

template <class Model>
void check() {
  const FreshCuda cuda_runtime;
  constexpr auto loss = loss_of<Model>;
  const auto x = inputs<typename Model::InputRow>(39);
  const auto wanted = targets();
  const auto data = dataset(x, wanted);
  FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 16, .epochs = 2};
  options.validation = &data;
  Network<Model, Cuda> cuda{NetworkOptions{.seed = 5}};
  Network<Model> host{NetworkOptions{.seed = 5}};
  const History got = fit(cuda, data, loss, SGD{.lr = 0.02}, options),
                want = fit(host, data, loss, SGD{.lr = 0.02}, options);
  REQUIRE(got.epochs.size() == 2);
  for (std::size_t e = 0; e < 2; ++e) {
    CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-5));
    CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(1e-5));
  }
  compare(got, want);
  CHECK(want.epochs[0].heads.size() == 3);
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);

  Trainer on_cuda{cuda, loss, SGD{.lr = 0.02}};
  Trainer on_host{host, loss, SGD{.lr = 0.02}};
  CHECK(on_cuda.step(x, wanted) == doctest::Approx(on_host.step(x, wanted)));
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);
  const auto each = evaluate_heads(cuda, data, loss), wanted_of_each = evaluate_heads(host, data, loss);
  for (std::size_t h = 0; h < 3; ++h) CHECK(each[h].loss == doctest::Approx(wanted_of_each[h].loss).epsilon(1e-5));
  CHECK(evaluate(cuda, data, loss).loss == doctest::Approx(evaluate(host, data, loss).loss).epsilon(1e-5));

  // Rows of targets that are on the device already.
  CudaArray<float> x_on_device(Cuda{}, x.values().size()), wanted_on_device(Cuda{}, wanted.values().size());
  x_on_device.upload(x.data(), x_on_device.size());
  wanted_on_device.upload(wanted.data(), wanted_on_device.size());
  const auto there = dataset(TensorView<const float, typename Model::InputRow, CudaMemory>{x_on_device.data(), 39},
                             TensorView<const float, Shape<4>, CudaMemory>{wanted_on_device.data(), 39});
  CHECK(evaluate(cuda, there, loss).loss == doctest::Approx(evaluate(host, data, loss).loss).epsilon(1e-5));
  FitOptions<std::remove_const_t<decltype(there)>> options_on_device{.batch_size = 16};
  options_on_device.validation = &there;
  const History got_on_device = fit(cuda, there, loss, SGD{.lr = 0.02}, options_on_device);
  options.epochs = 1;
  compare(got_on_device, fit(host, data, loss, SGD{.lr = 0.02}, options));
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);

  // Batch by batch: a gradient that is clipped, and classes that have weights.
  const auto by_batch = [&](const auto& by, const auto& optimizer) {
    compare(fit(cuda, data, by, optimizer, options), fit(host, data, by, optimizer, options));
  };
  by_batch(loss, clip_grad_norm(SGD{.lr = 0.02}, 0.5));
  const FitOptions<std::remove_const_t<decltype(data)>> plain{.batch_size = 16};
  const auto uneven = head_losses<Model>(WeightedCrossEntropyLoss<4>{.weight = {1, 3, 2, 0.5}, .ignore_index = 3},
                                         0.5 * HuberLoss{}, 0 * NLLLoss{});
  compare(fit(cuda, data, uneven, SGD{.lr = 0.02}, plain), fit(host, data, uneven, SGD{.lr = 0.02}, plain));
}

/// Where the loss of a step is not finite: the text names that step.
template <class Model>
void check_unsound() {
  const FreshCuda cuda_runtime;
  const auto loss = head_losses<Model>(CrossEntropyLoss{}, MSELoss{}, NLLLoss{});
  const auto x = inputs<typename Model::InputRow>(39);
  auto wanted = targets();
  wanted(35, 1) = 1e30f;
  const auto stopped = [&]<class Device>(Device device) {
    Network<Model, Device> net(device, {.seed = 5});
    return fit(net, dataset(x, wanted), loss, SGD{.lr = 0.01}, {.batch_size = 16, .epochs = 2, .shuffle = false})
        .stopped;
  };
  const std::string want = stopped(Host{});
  CHECK(has(want, "the loss"));
  CHECK(stopped(Cuda{}) == want);
}

}  // namespace

TEST_CASE("by the plan resident") { check<Small>(); }
TEST_CASE("by the plan pair") { check<Middle>(); }
TEST_CASE("by the plan layers") { check<Wide>(); }

TEST_CASE("steps that are not sound") {
  check_unsound<Small>();
  check_unsound<Middle>();
}

TEST_CASE("steps of members that are not sound") {
  const FreshCuda cuda_runtime;
  const auto loss = head_losses<Small>(CrossEntropyLoss{}, MSELoss{}, NLLLoss{});
  const auto x = inputs<Small::InputRow>(39);
  auto wanted = targets();
  wanted(35, 1) = 1e30f;
  const std::vector<SGD> rates(200, SGD{.lr = 0.01});
  const auto stopped = [&]<class Device>(Ensemble<Small, Device> nets) {
    return fit(nets, dataset(x, wanted), loss, rates, {.batch_size = 16, .epochs = 2, .shuffle = false})[199].stopped;
  };
  const std::string want = stopped(Ensemble<Small>(rates.size(), {.seed = 3}));
  CHECK(has(want, "the loss"));
  CHECK(stopped(Ensemble<Small, Cuda>(rates.size(), {.seed = 3})) == want);
}

TEST_CASE("members of an ensemble, trained and judged side by side") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Small::InputRow>(39);
  const auto wanted = targets();
  const auto data = dataset(x, wanted);
  const std::vector<SGD> rates(200, SGD{.lr = 0.02});
  Ensemble<Small, Cuda> cuda(rates.size(), {.seed = 3});
  Ensemble<Small> host(rates.size(), {.seed = 3});
  const auto got = fit(cuda, data, loss_of<Small>, rates, {.batch_size = 16, .epochs = 2}),
             want = fit(host, data, loss_of<Small>, rates, {.batch_size = 16, .epochs = 2});
  for (const std::size_t m : {std::size_t{0}, std::size_t{199}}) compare(got[m], want[m], 2e-5);
  const auto judged = evaluate(cuda, data, loss_of<Small>), expected = evaluate(host, data, loss_of<Small>);
  for (const std::size_t m : {std::size_t{0}, std::size_t{100}, std::size_t{199}}) {
    CHECK(norm_error(values(cuda[m]), values(host[m])) < 2e-5);
    CHECK(judged[m].loss == doctest::Approx(expected[m].loss).epsilon(2e-5));
  }
}
