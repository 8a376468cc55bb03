// SPDX-License-Identifier: MIT
// labels: cuda large O1 gpu
#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

/// What the runtime was asked for while `action` ran.
struct Asked {
  long kernels, mallocs, copies, memsets, synchronisations, properties;
  std::size_t to_device;
};
template <class Action>
Asked asked(Action&& action) {
  const auto before = fake_cuda::counters();
  const long properties = fake_cuda::calls("cudaGetDeviceProperties");
  action();
  const auto after = fake_cuda::counters();
  return {after.launches + after.graph_kernels - before.launches - before.graph_kernels,
          after.mallocs - before.mallocs + after.host_mallocs - before.host_mallocs,
          after.copies - before.copies,
          after.memsets - before.memsets,
          after.synchronisations - before.synchronisations,
          fake_cuda::calls("cudaGetDeviceProperties") - properties,
          after.bytes_to_device - before.bytes_to_device};
}

/// Kernels for 10 and for 200 steps, between which nothing but kernels may differ.
template <class Model>
void check_steps(long kernels_of_10, long kernels_of_200) {
  const auto x = inputs<typename Model::InputRow>(200);
  const auto labels = labels_for(200, 4);
  Network<Model, Cuda> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.001, .momentum = 0.9}};
  const auto kept = trainer.keep(dataset(x, labels));
  const auto steps = [&](std::size_t count, std::uint32_t epoch) {
    return asked([&] {
      REQUIRE(trainer.steps_on(kept, {.order = {1, epoch, true}, .first = 0, .batch = 1, .count = count}).size() ==
              count);
    });
  };
  steps(200, 0);
  const Asked few = steps(10, 1), many = steps(200, 2);
  CHECK(few.kernels == kernels_of_10);
  CHECK(many.kernels == kernels_of_200);
  CHECK(few.mallocs == 0);
  CHECK(many.mallocs == 0);
  CHECK(few.memsets == many.memsets);
  CHECK(few.copies == many.copies);
  CHECK(few.synchronisations == many.synchronisations);
  CHECK(many.properties == 0);
}

}  // namespace

TEST_CASE("more steps are more kernels, or more of one, and nothing else") {
  const FreshCuda cuda_runtime;
  // One makes the order of the epoch. Graphs have 16 steps each, the last of which may do nothing.
  check_steps<Tiny>(1 + 1, 1 + 1);
  check_steps<Middle>(1 + 2 * 16, 1 + 2 * 208);
  constexpr long phases = gpu_kernels::Phases<Wide, true, false, gpu_kernels::Expected::grid>::count + 1;
  check_steps<Wide>(1 + (phases + 2) * 16, 1 + (phases + 2) * 208);
}

TEST_CASE("the plan resident makes 4096 steps in a launch, over epochs if nothing interrupts between them") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(600);
  const auto labels = labels_for(600, 4);
  const auto data = dataset(x, labels);
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  const auto kernels = [&](const Options& options) {
    Network<Tiny, Cuda> net;
    return asked([&] { fit(net, data, NLLLoss{}, SGD{.lr = 0.01}, options); }).kernels;
  };
  CHECK(kernels({.batch_size = 1, .epochs = 6, .shuffle = false}) == 1);
  CHECK(kernels({.batch_size = 1, .epochs = 6}) == 1 + 1);  // and their orders
  CHECK(kernels({.batch_size = 1, .epochs = 7}) == 2 + 1);  // the seventh's is there when the second launch needs it
  CHECK(kernels({.batch_size = 1000, .epochs = 3}) == 1 + 1);
  CHECK(kernels({.batch_size = 2, .epochs = 3, .validation = &data}) == 3 * (2 + 3));
}

TEST_CASE("an evaluation is three kernels for 16384 rows, a prediction one") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(16385);
  const auto labels = labels_for(16385, 4);
  const auto data = dataset(x, labels);
  const Network<Tiny, Cuda> net;
  CHECK(asked([&] { evaluate(net, subset(data, 0, 16384), NLLLoss{}); }).kernels == 3);
  CHECK(asked([&] { evaluate(net, data, NLLLoss{}); }).kernels == 6);
  CHECK(asked([&] { predict(net, data); }).kernels == 2);
  CHECK(asked([&] { score(net, subset(data, 0, 10)); }).kernels == 1);
  auto workspace = net.workspace(10);
  CHECK(asked([&] { net.forward(x.view().slice(0, 10), workspace); }).kernels == 1);
}

TEST_CASE("training and validation data are sent once for all epochs") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(500);
  const auto labels = labels_for(500, 4);
  const auto data = dataset(x, labels);
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  const auto sent = [&](int epochs) {
    Network<Middle, Cuda> net;
    return asked([&] {
             fit(net, data, NLLLoss{}, SGD{.lr = 0.001},
                 Options{.batch_size = 250, .epochs = epochs, .validation = &data});
           })
        .to_device;
  };
  const std::size_t one = sent(1), five = sent(5), bytes = x.values().size() * sizeof(float);
  CHECK(one >= 2 * bytes);
  CHECK(five - one < bytes / 10);
}

TEST_CASE("a step on a batch of a size that was seen allocates nothing on the device") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(20);
  const auto labels = labels_for(20, 4);
  const auto data = dataset(x, labels);
  Network<Middle, Cuda> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.001}};
  trainer.step(data);
  const Asked step = asked([&] { trainer.step(data); });
  CHECK(step.mallocs == 0);
  CHECK(step.memsets == 0);
  CHECK(asked([&] { trainer.step(subset(data, 0, 7)); }).mallocs == 0);
}

TEST_CASE("a forward on a new workspace allocates nothing") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(8);
  const Network<Tiny, Cuda> net;
  auto workspace = net.workspace(8);
  CHECK(asked([&] { net.forward(x, workspace); }).mallocs == 0);
}

TEST_CASE("a validation allocates nothing, and the properties of devices are not asked for") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(50);
  const auto labels = labels_for(50, 4);
  const auto data = dataset(x, labels);
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  const auto of_epochs = [&](int epochs) {
    Network<Tiny, Cuda> net;
    return asked([&] {
      fit(net, data, NLLLoss{}, SGD{.lr = 0.001}, Options{.batch_size = 10, .epochs = epochs, .validation = &data});
    });
  };
  const Asked one = of_epochs(1), five = of_epochs(5);
  CHECK(five.mallocs == one.mallocs);
  CHECK(five.properties == 0);
  Ensemble<Tiny, Cuda> many(100);
  CHECK(asked([&] { fit(many, data, NLLLoss{}, SGD{.lr = 0.001}, {.batch_size = 10, .epochs = 2}); }).properties == 0);
}
