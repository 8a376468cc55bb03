// SPDX-License-Identifier: MIT
// labels: cuda large O1 gpu
// What training asks of the runtime over many epochs: one graph for all of its steps, an attribute once for each kernel.
#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

/// By the plan pair; a block needs more than 48 KB of its own.
struct Large : Sequential<Input<1, 24, 24>, Conv2d<20, 3>, ReLU, Flatten, Linear<4>, LogSoftmax> {};

struct WithStatistics : Sequential<Input<6>, Linear<8>, BatchNorm1d<>, ReLU, Linear<4>, LogSoftmax> {};

struct Asked {
  long graphs, graph_launches, launches, attributes;
};
template <class Action>
Asked asked(Action&& action) {
  const auto before = fake_cuda::counters();
  const long graphs = fake_cuda::calls("cudaGraphInstantiate"), attributes = fake_cuda::calls("cudaFuncSetAttribute");
  action();
  const auto after = fake_cuda::counters();
  return {fake_cuda::calls("cudaGraphInstantiate") - graphs, after.graph_launches - before.graph_launches,
          after.launches - before.launches, fake_cuda::calls("cudaFuncSetAttribute") - attributes};
}

/// `fit` over some epochs of `rows` rows.
template <class Model, class Optimizer>
Asked training(std::size_t rows, std::size_t batch, int epochs, bool validates, const Optimizer& optimizer) {
  const auto x = inputs<typename Model::InputRow>(rows);
  const auto labels = labels_for(rows, 4);
  const auto data = dataset(x, labels), some = subset(data, 0, 5);
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  Network<Model, Cuda> net{{.seed = 4}};
  Network<Model> host{{.seed = 4}};
  Options options{.batch_size = batch, .epochs = epochs};
  if (validates) options.validation = &some;
  const Asked all = asked([&] { fit(net, data, NLLLoss{}, optimizer, options); });
  fit(host, data, NLLLoss{}, optimizer, options);
  CHECK(norm_error(values(net), values(host)) < 1e-4);
  return all;
}

}  // namespace

TEST_CASE("one graph serves every chunk of steps") {
  const FreshCuda cuda_runtime;
  // 39 rows by 2: 20 steps an epoch, the last of 1 row. Chunks of 256 begin anywhere in an epoch.
  const auto check = [&](int epochs, bool validates, const auto& optimizer, long graph_launches, long most_launches) {
    CAPTURE(validates);
    const Asked all = training<Middle>(39, 2, epochs, validates, optimizer);
    CHECK(all.graphs == 1);
    CHECK(all.graph_launches == graph_launches);
    CHECK(all.launches <= most_launches);
  };
  // The first 16 steps are launched. Of 26 epochs, 256 + 256 + 8 steps, the last 8 are one graph; of 5, 20 each, 4 are launched.
  check(26, false, SGD{.lr = 0.001, .momentum = 0.9}, 32, 2 * 16 + 3);
  check(26, false, Adam{.lr = 0.0005}, 32, 2 * 16 + 3);
  check(5, true, SGD{.lr = 0.001}, 4, 2 * 16 + 5 * (2 * 4 + 1 + 3));
}

TEST_CASE("kernels overlap where their code waits for the one before") {
  const auto overlapping = [](int capability) {
    const FreshCuda cuda_runtime;
    fake_cuda::set_kernel_versions(capability, 90);
    const long before = fake_cuda::counters().overlapping_launches;
    training<Middle>(6, 2, 1, false, SGD{.lr = 0.001});
    return fake_cuda::counters().overlapping_launches - before;
  };
  CHECK(overlapping(90) == 3);  // the updates
  CHECK(overlapping(80) == 0);
}

TEST_CASE("the plan layers has one graph too") {
  const FreshCuda cuda_runtime;
  const Asked all = training<Wide>(7, 2, 10, false, SGD{.lr = 0.001});
  CHECK(all.graphs == 1);
  CHECK(all.graph_launches == 2);
}

TEST_CASE("steps of a network with statistics of the batch are one graph, the last one of an epoch too") {
  const FreshCuda cuda_runtime;
  // 14 steps an epoch, the last of 2 rows: 256 steps, and 24.
  const Asked all = training<WithStatistics>(41, 3, 20, false, SGD{.lr = 0.01});
  CHECK(all.graphs == 1);
  CHECK(all.graph_launches == 15 + 2);
}

TEST_CASE("a kernel is allowed its memory once, whatever networks it trains") {
  const FreshCuda cuda_runtime;
  const auto attributes = [&](int epochs, bool validates) {
    return training<Large>(20, 4, epochs, validates, SGD{.lr = 0.001}).attributes;
  };
  CHECK(attributes(1, false) == 1);
  CHECK(attributes(6, false) == 0);
  CHECK(attributes(6, true) == 0);  // what judges needs less than 48 KB
}

TEST_CASE("a kernel is allowed its memory on each device") {
  const FreshCuda cuda_runtime;
  fake_cuda::set_devices({{}, {}});
  const auto x = inputs<Large::InputRow>(20);
  const auto labels = labels_for(20, 4);
  const auto data = dataset(x, labels);
  const auto on_second = [&] {
    return asked([&] {
             Network<Large, Cuda> net{Cuda{.device = 1}};
             fit(net, data, NLLLoss{}, SGD{.lr = 0.001}, {.batch_size = 4, .epochs = 1});
           })
        .attributes;
  };
  CHECK(on_second() == 1);
  CHECK(on_second() == 0);
}

TEST_CASE("the order of an epoch is made once, on the device, and read by all of its steps") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(600);
  const auto labels = labels_for(600, 4);
  Network<Middle, Cuda> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.001}};
  const auto kept = trainer.keep(dataset(x, labels));
  const auto launches = [&](std::uint32_t epoch, std::size_t first, std::size_t count) {
    return asked(
               [&] { trainer.steps_on(kept, {.order = {1, epoch, true}, .first = first, .batch = 1, .count = count}); })
        .launches;
  };
  CHECK(launches(0, 0, 3) == 3 * 2 + 1);
  CHECK(launches(0, 3, 3) == 3 * 2);
  CHECK(launches(0, 598, 3) == 3 * 2 + 1);  // into the next epoch
  CHECK(launches(1, 1, 3) == 3 * 2);
  CHECK(launches(1, 598, 3) == 3 * 2 + 1);
}

TEST_CASE("a step and an update download no gradient, and an ensemble asks for no properties of devices") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(20);
  const auto labels = labels_for(20, 4);
  const auto data = dataset(x, labels);
  Network<Middle, Cuda> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.001}};
  const std::size_t gradient = values(net).size() * sizeof(float), before = fake_cuda::counters().bytes_to_host;
  float sum = 0;
  for (int i = 0; i < 10; ++i) sum += trainer.step(x, labels);
  trainer.accumulate(x, labels);
  CHECK(trainer.update());
  CHECK(sum > 0);
  CHECK(fake_cuda::counters().bytes_to_host - before < gradient / 4);

  const long properties = fake_cuda::calls("cudaGetDeviceProperties");
  Ensemble<Middle, Cuda> many(100);
  fit(many, data, NLLLoss{}, SGD{.lr = 0.001}, {.batch_size = 20});
  CHECK(fake_cuda::calls("cudaGetDeviceProperties") == properties);
}
