// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Trainer::step makes whole steps without the host: what it asks of the runtime, graphs of the user's, and what was not
// finite.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
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

/// As a thrust::device_vector gives its address.
template <class T>
struct DeviceVector {
  struct Pointer {
    const T* address;
    const T* get() const { return address; }
    const T& operator*() const { return *address; }
  };
  CudaArray<T> array;

  DeviceVector(const Cuda& cuda, std::span<const T> values) : array(cuda, values.size()) {
    array.upload(values.data(), values.size());
  }
  Pointer data() const { return {array.data()}; }
  std::size_t size() const { return array.size(); }
};

struct Asked {
  long launches, mallocs, copies, memsets, synchronisations;
  std::size_t to_host;
};
template <class Action>
Asked asked(Action&& action) {
  const auto before = fake_cuda::counters();
  action();
  const auto after = fake_cuda::counters();
  return {after.launches - before.launches,
          after.mallocs - before.mallocs,
          after.copies - before.copies,
          after.memsets - before.memsets,
          after.synchronisations - before.synchronisations,
          after.bytes_to_host - before.bytes_to_host};
}

/// Rows and labels on both sides.
template <class Model>
struct BothSides {
  Tensor<float, typename Model::InputRow> x;
  std::vector<int> labels;
  DeviceVector<float> x_on_device;
  DeviceVector<int> labels_on_device;

  explicit BothSides(std::size_t rows, const Cuda& cuda = {})
      : x(inputs<typename Model::InputRow>(rows)),
        labels(labels_for(rows, 4)),
        x_on_device(cuda, std::span<const float>(x.values())),
        labels_on_device(cuda, labels) {}
  auto rows() const { return device_rows<typename Model::InputRow>(x_on_device); }
};

struct OwnStream {
  cudaStream_t handle = nullptr;
  OwnStream() { cuda_check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "making a stream"); }
  ~OwnStream() { cudaStreamDestroy(handle); }
};

}  // namespace

TEST_CASE("a step on data of the device is its kernels and nothing else") {
  const FreshCuda cuda_runtime;
  const auto check = [&]<class Model>(Model, const auto& optimizer, long kernels) {
    const BothSides<Model> batch(20);
    Network<Model, Cuda> net{{.seed = 9}};
    Network<Model> host{{.seed = 9}};
    Trainer trainer{net, NLLLoss{}, optimizer};
    Trainer on_host{host, NLLLoss{}, optimizer};
    for (int i = 0; i < 3; ++i) {
      trainer.step(batch.rows(), batch.labels_on_device);
      on_host.step(batch.x, batch.labels);
    }
    const Asked step = asked([&] {
      trainer.step(batch.rows(), batch.labels_on_device);
      on_host.step(batch.x, batch.labels);
    });
    CHECK(step.launches == kernels);
    CHECK(step.mallocs == 0);
    CHECK(step.copies == 0);
    CHECK(step.memsets == 0);
    CHECK(step.synchronisations == 0);
    float loss = 0;
    const Asked asks = asked([&] { loss = trainer.step(batch.rows(), batch.labels_on_device); });
    CHECK(asks.synchronisations == 1);
    CHECK(asks.copies == 1);
    CHECK(asks.to_host <= 4096);
    CHECK(loss == doctest::Approx(on_host.step(batch.x, batch.labels)).epsilon(1e-4));
    CHECK(trainer.steps() == 5);
    CHECK(trainer.problem().empty());
    CHECK(trainer.loss() == loss);
    CHECK(norm_error(values(net), values(host)) < 1e-5);
  };
  check(Middle{}, SGD{.lr = 0.05, .momentum = 0.9}, 2);
  check(Tiny{}, SGD{.lr = 0.05}, 2);
  constexpr long phases = gpu_kernels::Phases<Wide, true, false, gpu_kernels::Expected::grid>::count + 1;
  check(Wide{}, SGD{.lr = 0.01}, phases + 2);
}

TEST_CASE("a step on data of the host is one copy more, and downloads no gradient") {
  const FreshCuda cuda_runtime;
  const BothSides<Middle> batch(20);
  Network<Middle, Cuda> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.05}};
  trainer.step(batch.x, batch.labels);
  const Asked step = asked([&] { trainer.step(batch.x, batch.labels); });
  CHECK(step.copies == 1);
  CHECK(step.mallocs == 0);
  CHECK(step.synchronisations == 0);
  CHECK(step.to_host == 0);

  float sum = 0;
  const Asked loop = asked([&] {
    for (int i = 0; i < 10; ++i) sum += trainer.step(batch.x, batch.labels);
    trainer.accumulate(batch.x, batch.labels);
    CHECK(trainer.update());
  });
  const std::size_t gradient = values(net).size() * sizeof(float);
  CHECK(std::isfinite(sum));
  CHECK(loop.to_host < gradient);
}

TEST_CASE(
    "a step of Adam asks for nothing more: its numbers are made on the device, others where its rate is another") {
  const FreshCuda cuda_runtime;
  const BothSides<Tiny> batch(12);
  Network<Tiny, Cuda> net{{.seed = 3}};
  Network<Tiny> host{{.seed = 3}};
  Trainer trainer{net, NLLLoss{}, Adam{.lr = 0.001}};
  Trainer on_host{host, NLLLoss{}, Adam{.lr = 0.001}};
  const auto steps = [&](int count) {
    return asked([&] {
      for (int i = 0; i < count; ++i) {
        trainer.step(batch.rows(), batch.labels_on_device);
        on_host.step(batch.x, batch.labels);
      }
    });
  };
  steps(1);
  const Asked hundred = steps(100);
  CHECK(hundred.launches == 100 * 3);
  CHECK(hundred.copies == 0);
  CHECK(hundred.mallocs == 0);
  CHECK(hundred.synchronisations == 0);
  trainer.optimizer().lr = on_host.optimizer().lr = 0.0005;
  trainer.set_rate_factor("0.weight", 0.1);
  on_host.set_rate_factor("0.weight", 0.1);
  trainer.freeze("5.bias");
  on_host.freeze("5.bias");
  CHECK(steps(100).synchronisations == 0);
  CHECK(steps(1).copies == 0);
  CHECK(norm_error(values(net), values(host)) < 1e-4);
  CHECK(trainer.steps() == 202);
}

namespace {
/// The updates of a step that is captured are those of the steps before and after it.
template <class Model, class Optimizer>
void check_captured(const Optimizer& optimizer) {
  const FreshCuda cuda_runtime;
  const OwnStream stream;
  const Cuda cuda{.stream = stream.handle};
  const BothSides<Model> batch(20, cuda);
  Network<Model, Cuda> net{cuda, NetworkOptions{.seed = 9}}, plain{cuda, NetworkOptions{.seed = 9}};
  Trainer trainer{net, NLLLoss{}, optimizer};
  Trainer other{plain, NLLLoss{}, optimizer};
  for (auto* one : {&trainer, &other}) one->set_rate_factor("0.weight", 0.5);
  trainer.step(batch.rows(), batch.labels_on_device);

  cuda_check(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeGlobal), "capturing");
  const auto captured = trainer.step(batch.rows(), batch.labels_on_device);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda_check(cudaStreamEndCapture(stream.handle, &graph), "capturing");
  cuda_check(cudaGraphInstantiate(&executable, graph, 0), "making a graph");
  for (int i = 0; i < 4; ++i) cuda_check(cudaGraphLaunch(executable, stream.handle), "launching");
  float last = 0;
  for (int i = 0; i < 5; ++i) last = other.step(batch.rows(), batch.labels_on_device);
  CHECK(trainer.steps() == 5);
  CHECK(trainer.loss() == last);
  CHECK(same(values(net), values(plain)));
  CHECK(has(error_of([&] { return static_cast<float>(captured); }), "loss()"));

  // Steps of all kinds go on from there, with the masks of their number.
  trainer.step(batch.rows(), batch.labels_on_device);
  cuda_check(cudaGraphLaunch(executable, stream.handle), "launching");
  for (int i = 0; i < 2; ++i) other.step(batch.rows(), batch.labels_on_device);
  trainer.accumulate(batch.x, batch.labels);
  other.accumulate(batch.x, batch.labels);
  CHECK(trainer.update());
  CHECK(other.update());
  trainer.step(batch.rows(), batch.labels_on_device);
  other.step(batch.rows(), batch.labels_on_device);
  CHECK(trainer.steps() == 9);
  CHECK(same(values(net), values(plain)));

  // The graph takes another rate after a step that was given it.
  for (auto* one : {&trainer, &other}) {
    one->optimizer().lr /= 2;
    one->step(batch.rows(), batch.labels_on_device);
  }
  cuda_check(cudaGraphLaunch(executable, stream.handle), "launching");
  other.step(batch.rows(), batch.labels_on_device);
  CHECK(trainer.steps() == 11);
  CHECK(same(values(net), values(plain)));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

/// A schedule that only the host can compute.
struct Halves {
  double operator()(double lr, long t) const { return t % 2 == 0 ? lr : lr / 2; }
  void check() const {}
};
}  // namespace

TEST_CASE("a step that is captured into a graph of the user's counts on where it is launched") {
  check_captured<Middle>(SGD{.lr = 0.05, .momentum = 0.9});
  check_captured<Tiny>(Adam{.lr = 0.05});
  check_captured<Tiny>(per_step(AdamW{.lr = 0.05}, WarmUp{3, CosineAnnealingLR{.T_max = 8}}));
}

TEST_CASE("what cannot be captured is refused with a message") {
  const FreshCuda cuda_runtime;
  const OwnStream stream;
  const Cuda cuda{.stream = stream.handle};
  const BothSides<Tiny> batch(12, cuda);
  const auto refused = [&](const auto& optimizer, int before, const auto& capture) {
    Network<Tiny, Cuda> net{cuda};
    Trainer trainer{net, NLLLoss{}, optimizer};
    for (int i = 0; i < before; ++i) trainer.step(batch.rows(), batch.labels_on_device);
    cuda_check(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeGlobal), "capturing");
    const std::string error = error_of([&] { capture(trainer); });
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(stream.handle, &graph), "capturing");
    cudaGraphDestroy(graph);
    return error;
  };
  const auto step = [&](auto& trainer) { trainer.step(batch.rows(), batch.labels_on_device); };
  CHECK(has(refused(SGD{.lr = 0.1}, 0, step), "make one outside of the capture first"));
  CHECK(has(refused(per_step(SGD{.lr = 0.1}, Halves{}), 5, step), "only the host computes"));
  CHECK(has(refused(SGD{.lr = 0.1}, 2, [&](auto& trainer) { trainer.step(batch.x, batch.labels); }), "on the device"));
  CHECK(has(refused(SGD{.lr = 0.1}, 2,
                    [&](auto& trainer) {
                      trainer.optimizer().lr = 0.2;
                      step(trainer);
                    }),
            "the optimizer was changed"));
}

TEST_CASE("a step that is not finite is left out on the device, which the next one does not mind") {
  const FreshCuda cuda_runtime;
  const auto check = [&]<class Model>(Model) {
    BothSides<Model> batch(20);
    auto wrong = batch.x;
    wrong.data()[5] = std::numeric_limits<float>::infinity();
    const DeviceVector<float> wrong_on_device(Cuda{}, std::span<const float>(wrong.values()));
    Network<Model, Cuda> net{{.seed = 9}};
    Network<Model> host{{.seed = 9}};
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}};
    Trainer on_host{host, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}};
    trainer.step(batch.rows(), batch.labels_on_device);
    on_host.step(batch.x, batch.labels);
    const auto before = values(net);
    trainer.step(device_rows<typename Model::InputRow>(wrong_on_device), batch.labels_on_device);
    on_host.step(wrong, batch.labels);
    CHECK(trainer.problem() == on_host.problem());
    CHECK(has(trainer.problem(), "of step 1 is not finite"));
    CHECK(trainer.steps() == 1);
    CHECK(same(values(net), before));
    trainer.step(batch.rows(), batch.labels_on_device);
    on_host.step(batch.x, batch.labels);
    CHECK(trainer.problem().empty());
    CHECK(trainer.steps() == 2);
    CHECK(norm_error(values(net), values(host)) < 1e-5);
  };
  check(Middle{});
  check(Wide{});
}

TEST_CASE("losses of the last 256 steps are there") {
  const FreshCuda cuda_runtime;
  const BothSides<Tiny> batch(4);
  Network<Tiny, Cuda> net;
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.01}};
  std::vector<Trainer<Network<Tiny, Cuda>, NLLLoss, SGD>::StepLoss> losses;
  const float first = trainer.step(batch.rows(), batch.labels_on_device);
  losses.push_back(trainer.step(batch.rows(), batch.labels_on_device));
  for (int i = 0; i < 255; ++i) losses.push_back(trainer.step(batch.rows(), batch.labels_on_device));
  const float second = losses.front(), last = losses.back();
  CHECK(std::isfinite(first));
  CHECK(std::isfinite(second));
  CHECK(last == trainer.loss());
  CHECK(second != last);
  trainer.step(batch.rows(), batch.labels_on_device);
  CHECK(has(error_of([&] { return static_cast<float>(losses.front()); }), "ask sooner"));
}

TEST_CASE("sums of numbers so large that they may not be finite are checked") {
  using Update = gpu_kernels::ApplyUpdate<SGD::Update<float>, 1>;
  constexpr int arena = 600, slots = 5, blocks = 2;
  const auto weights = [&](float first, float second) {
    std::vector<float> all(arena * slots, 0.5f), gradient(arena), parameters(arena, 1), state(arena);
    all[arena - 1] = first;
    all[2 * arena - 1] = second;
    const std::vector<double> losses(slots, 1);
    std::vector<double> sum(1);
    const std::vector<std::uint32_t> large{1, 1, 0, 0, 0};
    const auto sgd = SGD{.lr = 0.5}.at<float>(0);
    gpu_kernels::StepStatus status{};
    Update::Args args{};
    args.sums = {all.data(), losses.data(), slots, arena};
    args.large = large.data();
    args.blocks = blocks;
    args.gradient = gradient.data();
    args.updates = &sgd;
    args.groups = 1;
    args.parameters = parameters.data();
    args.state = state.data();
    args.status = &status;
    args.losses = sum.data();
    args.kept_losses = 1;
    gpu_kernels::run_on_host<Update>(&args, blocks + 1, Update::threads, Update::memory);
    CHECK(status.tried == 1);
    CHECK(status.steps + (status.unsound != 0) == 1);
    CHECK(sum[0] == 5);
    return parameters.front();
  };
  CHECK(weights(3e38f, 3e38f) == 1);
  CHECK(weights(std::numeric_limits<float>::quiet_NaN(), 0) == 1);
  CHECK(weights(3e38f, -3e38f) == 1 - 0.5f * 2.5f);
}
