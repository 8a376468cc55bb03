// SPDX-License-Identifier: MIT
// labels: cuda large gpu
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

struct Regression : Sequential<Input<3>, Linear<9>, Tanh, Linear<2>> {};
// Too large for the optimizer's state to be in shared memory.
struct Large : Sequential<Input<256>, Linear<64>, ReLU, Linear<64>, ReLU, Dropout<0.2>, Linear<10>> {};
static_assert(!gpu_kernels::ResidentMemory<Large, float, SGD::states>::holds_state);

long kernels_of(auto&& action) {
  const auto before = fake_cuda::counters();
  action();
  const auto after = fake_cuda::counters();
  return after.launches + after.graph_kernels - before.launches - before.graph_kernels;
}

/// An ensemble on the GPU and one on the host: the same histories and weights.
template <class Model, class Loss, class Optimizer, Dataset D>
void check(const D& data, const Loss& loss, const std::vector<Optimizer>& optimizers, const EnsembleFitOptions& options,
           double most = 2e-5) {
  Ensemble<Model, Cuda> cuda(optimizers.size(), {.seed = 3});
  Ensemble<Model> host(optimizers.size(), {.seed = 3});
  const auto got = fit(cuda, data, loss, optimizers, options), want = fit(host, data, loss, optimizers, options);
  REQUIRE(got.size() == want.size());
  for (std::size_t m = 0; m < want.size(); ++m) {
    CAPTURE(m);
    CHECK(got[m].stopped.empty());
    CHECK(got[m].samples_per_epoch == want[m].samples_per_epoch);
    REQUIRE(got[m].epochs.size() == want[m].epochs.size());
    for (std::size_t e = 0; e < want[m].epochs.size(); ++e) {
      const EpochRecord &a = got[m].epochs[e], &b = want[m].epochs[e];
      CHECK(a.epoch == b.epoch);
      CHECK(a.train_loss == doctest::Approx(b.train_loss).epsilon(most));
      CHECK(std::isnan(a.validation_loss) == std::isnan(b.validation_loss));
      if (!std::isnan(b.validation_loss)) CHECK(a.validation_loss == doctest::Approx(b.validation_loss).epsilon(most));
      if (!std::isnan(b.validation_accuracy)) CHECK(a.validation_accuracy == b.validation_accuracy);
      CHECK(a.learning_rate == b.learning_rate);
    }
    CHECK(norm_error(values(cuda[m]), values(host[m])) < most);
  }
  const auto judged = evaluate(cuda, data, loss), expected = evaluate(host, data, loss);
  for (std::size_t m = 0; m < expected.size(); ++m) {
    CHECK(judged[m].loss == doctest::Approx(expected[m].loss).epsilon(most));
    CHECK((judged[m].accuracy == expected[m].accuracy || !has_labels<D>));
  }
}

template <class Model>
void check_classes(std::size_t rows, int classes) {
  const auto x = inputs<typename Model::InputRow>(rows);
  const auto labels = labels_for(rows, static_cast<std::size_t>(classes));
  const auto data = dataset(x, labels);
  const std::vector<SGD> rates = {{.lr = 0.01}, {.lr = 0.05, .momentum = 0.9, .nesterov = true}, {.lr = 0.1}};
  check<Model>(data, CrossEntropyLoss{}, rates, {.batch_size = 8, .epochs = 2, .held_out = k_folds(rows, 3)});
  check<Model>(data, CrossEntropyLoss{}, rates, {.batch_size = 16, .epochs = 3, .first_epoch = 2});
  check<Model>(data, CrossEntropyLoss{}, rates, {.batch_size = 1000, .held_out = {{}, {0, 5}, {3, 1}}});
  check<Model>(data, CrossEntropyLoss{}, rates, {.batch_size = std::numeric_limits<std::size_t>::max()});
  check<Model>(data, CrossEntropyLoss{}, std::vector<Adam>(2, Adam{.lr = 0.002}), {.batch_size = 7, .epochs = 2});
}

}  // namespace

TEST_CASE("an ensemble on the GPU learns what one on the host learns") {
  const FreshCuda cuda_runtime;
  check_classes<Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.3>, Linear<4>>>(41, 4);
}
TEST_CASE("also where the optimizer's state does not fit a block's own memory") {
  const FreshCuda cuda_runtime;
  check_classes<Large>(41, 10);
}
TEST_CASE("also where members are trained one after another") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(20);
  const auto labels = labels_for(20, 4);
  const std::vector<SGD> rates = {{.lr = 0.01}, {.lr = 0.02}};
  check<Middle>(dataset(x, labels), NLLLoss{}, rates, {.batch_size = 8, .held_out = k_folds(20, 2)});
}
TEST_CASE("rows of numbers are targets too") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(30);
  const auto y = inputs<Shape<2>>(30, 1, 2);
  const std::vector<SGD> rates = {{.lr = 0.01}, {.lr = 0.1}};
  check<Regression>(dataset(x, y), MSELoss{}, rates, {.batch_size = 8, .epochs = 2, .held_out = k_folds(30, 2)});
}

TEST_CASE("a member has the bits that it has alone") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(40);
  const auto labels = labels_for(40, 4);
  const auto data = dataset(x, labels);
  Ensemble<Tiny, Cuda> nets(4, {.seed = 8});
  fit(nets, data, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.batch_size = 8, .epochs = 3});
  for (std::size_t m = 0; m < 4; ++m) {
    Network<Tiny, Cuda> alone{{.seed = 8 + m}};
    fit(alone, data, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.batch_size = 8, .epochs = 3});
    CHECK(same(values(nets[m]), values(alone)));
  }
}

TEST_CASE("all members are trained by one launch, and judged by one after each epoch") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(60);
  const auto labels = labels_for(60, 4);
  const auto data = dataset(x, labels);
  const auto kernels = [&](std::size_t members, const EnsembleFitOptions& options) {
    Ensemble<Tiny, Cuda> nets(members);
    return kernels_of([&] { fit(nets, data, NLLLoss{}, SGD{.lr = 0.01}, options); });
  };
  CHECK(kernels(20, {.batch_size = 10, .epochs = 7}) == 1 + 1);  // and the orders of the rows
  CHECK(kernels(20, {.batch_size = 10, .epochs = 7, .held_out = k_folds(60, 20)}) == 7 * 3);
  CHECK(kernels(2, {.batch_size = 1, .epochs = 69}) == 2 * 2);  // 4,140 steps
  CHECK(kernels(3, {.batch_size = 10, .epochs = 4, .held_out = {{}, {0, 10}, {0, 15}}}) == 4 * 3);
  CHECK(kernels(3, {.batch_size = 10, .epochs = 0}) == 0);
}

TEST_CASE("a member that diverges stops, says where, and the others continue") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(40);
  const auto labels = labels_for(40, 4);
  const auto data = dataset(x, labels);
  const std::vector<SGD> rates = {{.lr = 0.1}, {.lr = 1e30}, {.lr = 1e300}, {.lr = 0.1}};
  struct Unbounded : Sequential<Input<3>, Linear<7>, ReLU, Linear<4>, LogSoftmax> {};
  Ensemble<Unbounded, Cuda> nets(4, {.seed = 2});
  Ensemble<Unbounded> host(4, {.seed = 2});
  for (const bool folds : {false, true}) {
    const EnsembleFitOptions options{
        .batch_size = 4, .epochs = 3, .held_out = folds ? k_folds(40, 4) : std::vector<Fold>{}};
    const auto histories = fit(nets, data, NLLLoss{}, rates, options);
    CHECK(histories[0].stopped.empty());
    CHECK(histories[0].epochs.size() == 3);
    CHECK(has(histories[1].stopped, "epoch 1: "));
    CHECK(has(histories[1].stopped, "is not finite: its update was left out"));
    CHECK(histories[1].epochs.empty());
    CHECK(has(histories[2].stopped, "the learning rate of step 0"));
    CHECK(histories[3].epochs.size() == 3);
    for (std::size_t m = 0; m < 4; ++m)
      for (const float w : values(nets[m])) CHECK(std::isfinite(w));
    if (!folds) CHECK(histories[2].stopped == fit(host, data, NLLLoss{}, rates, options)[2].stopped);
  }
}

TEST_CASE("a dataset is sent once, whatever the number of members and epochs") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Large::InputRow>(500);
  const auto labels = labels_for(500, 10);
  const auto data = dataset(x, labels);
  const std::size_t bytes = 500 * 256 * sizeof(float);
  const auto check_sent = [&](std::size_t batch, std::size_t members, long kernels) {
    Ensemble<Large, Cuda> nets(members);
    const auto before = fake_cuda::counters();
    fit(nets, data, CrossEntropyLoss{}, SGD{.lr = 0.01},
        {.batch_size = batch, .epochs = 3, .held_out = k_folds(500, static_cast<int>(members))});
    const auto after = fake_cuda::counters();
    CHECK(after.bytes_to_device - before.bytes_to_device >= bytes);
    CHECK(after.bytes_to_device - before.bytes_to_device < bytes * 12 / 10);
    CHECK(after.launches + after.graph_kernels - before.launches - before.graph_kernels == kernels);
  };
  check_sent(50, 5, 3 * 3);  // side by side
  // One after another: a look at the inputs that are there, the order of an epoch, 2 for its step, 3 to judge.
  check_sent(400, 2, 2 * (1 + 3 * (1 + 2 + 3)));
}

TEST_CASE("cross-validation on the GPU is that on the host") {
  const FreshCuda cuda_runtime;
  const auto points = disc(100, 1);
  struct Mlp : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};
  const std::vector<SGD> candidates = {{.lr = 0.1}, {.lr = 0.5}};
  const CrossValidationOptions options{.folds = 3, .batch_size = 10, .epochs = 4};
  const auto got = cross_validate<Mlp>(Cuda{}, points, CrossEntropyLoss{}, candidates, options),
             want = cross_validate<Mlp>(Host{}, points, CrossEntropyLoss{}, candidates, options);
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(got[c].loss.mean == doctest::Approx(want[c].loss.mean).epsilon(1e-5));
    CHECK(got[c].loss.error == doctest::Approx(want[c].loss.error).epsilon(1e-3));
    CHECK(got[c].accuracy.mean == want[c].accuracy.mean);
  }
}

TEST_CASE("a member that was put on another device is refused") {
  const FreshCuda cuda_runtime;
  fake_cuda::set_devices({{}, {}});
  const auto x = inputs<Tiny::InputRow>(10);
  const auto labels = labels_for(10, 4);
  Ensemble<Tiny, Cuda> nets(3);
  Network<Tiny> host{{.seed = 9}};
  nets[2] = host;
  CHECK(same(values(nets[2]), values(host)));
  fit(nets, dataset(x, labels), NLLLoss{}, SGD{.lr = 0.1});
  nets[1] = Network<Tiny, Cuda>{Cuda{.device = 1}};
  CHECK(has(error_of([&] { fit(nets, dataset(x, labels), NLLLoss{}, SGD{.lr = 0.1}); }),
            "member 1 of an ensemble was given another device"));
  CHECK(has(error_of([&] { evaluate(nets, dataset(x, labels), NLLLoss{}); }), "member 1 of an ensemble"));
}

TEST_CASE("members with the same seed and fold share the order of their epochs, and a stopped one is left as it was") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(12);
  const auto labels = labels_for(12, 4);
  const auto data = dataset(x, labels);
  struct Unbounded : Sequential<Input<3>, Linear<7>, ReLU, Linear<4>, LogSoftmax> {};
  const std::vector<std::uint64_t> seeds(50, 3);
  std::vector<SGD> rates(50, SGD{.lr = 0.01});
  rates[7].lr = 1e30;
  Ensemble<Unbounded, Cuda> nets(Cuda{}, seeds);
  const auto before = fake_cuda::counters().bytes_to_device;
  const auto histories = fit(nets, data, NLLLoss{}, rates, {.batch_size = 6, .epochs = 200});
  CHECK(fake_cuda::counters().bytes_to_device - before <
        50 * 200 * (sizeof(gpu_kernels::Epoch) + sizeof(gpu_kernels::OrderOfRows)) / 10);
  CHECK(same(values(nets[0]), values(nets[49])));
  CHECK(!histories[7].stopped.empty());
  std::vector<float> gradient(Program<Unbounded>::arena_size);
  nets[7].gradient().download(gradient.data(), gradient.size());
  CHECK(!all_finite(gradient.data(), gradient.size()));
}

TEST_CASE("few networks are judged one after another, by the whole GPU") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Large::InputRow>(3000);
  const auto labels = labels_for(3000, 10);
  const auto data = dataset(x, labels);
  const Ensemble<Large, Cuda> two(2), many(40);
  CHECK(kernels_of([&] { evaluate(two, data, CrossEntropyLoss{}); }) == 2 * 3);
  CHECK(kernels_of([&] { evaluate(many, subset(data, 0, 100), CrossEntropyLoss{}); }) == 1);
}
