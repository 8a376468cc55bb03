// SPDX-License-Identifier: MIT
// labels: cuda large O1 gpu sanitized
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/check_refused.hpp"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/last_words.hpp"
#include "support/sanitized.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

/// A block that trains it needs more than 48 KB of its own.
struct Large : Sequential<Input<1, 24, 24>, Conv2d<20, 3>, ReLU, Flatten, Linear<4>, LogSoftmax> {};

/// One that trains layer by layer on a device whose blocks have no more than 12 KB.
struct Layered : Sequential<Input<3>, Linear<1000>, ReLU, Dropout<0.5>, Linear<4>, LogSoftmax> {};
constexpr std::size_t little = 12 * 1024;
constexpr auto plan_with_little = [](int batch) {
  return gpu_kernels::Choose<Layered, float, Adam::states>::plan(batch, little);
};
static_assert(plan_with_little(1) == CudaPlan::layers && plan_with_little(4) == CudaPlan::layers);

/// A labelled dataset for a model.
template <class Model>
struct Labelled {
  Tensor<float, typename Model::InputRow> x;
  std::vector<int> labels;
  explicit Labelled(std::size_t rows) : x(inputs<typename Model::InputRow>(rows)), labels(labels_for(rows, 4)) {}
  auto data() const { return dataset(x, labels); }
};

bool all_finite(const std::vector<float>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); });
}

/// Everything that is done with a network.
template <class Model>
void use(Network<Model, Cuda>& net, const Labelled<Model>& given) {
  const auto data = given.data();
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  fit(net, data, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9},
      Options{.batch_size = 4, .epochs = 2, .validation = &data});
  fit(net, data, NLLLoss{}, SGD{.lr = 0.01}, Options{.batch_size = 1, .epochs = 3});  // long enough for a graph
  Trainer trainer{net, NLLLoss{}, Adam{.lr = 0.001}};
  trainer.freeze("0.bias");
  trainer.step(given.x, given.labels);
  Tensor<float, typename Model::InputRow> dx;
  trainer.accumulate(given.x, given.labels, dx);
  trainer.update();
  evaluate(net, data, NLLLoss{});
  score(net, data);
  predict(net, data);
  auto workspace = net.workspace(2);
  net.forward(given.x.view().slice(0, 2), workspace);
  Network<Model, Cuda> copy = net;
  Network<Model> host;
  host = copy;
  net = host;
}

/// Lets the calls of a function fail, one after another (under sanitizers every third): an error with a message each
/// time, nothing lost, and all of it works again. Returns what the first error said.
template <class Model>
std::string fail_each(const std::string& function, cudaError_t code, const fake_cuda::Device& device = {}) {
  const Labelled<Model> given(7);
  std::string first;
  int failures = 0;
  for (int call = 0; call < 2000; call += unless_sanitized(1, 3)) {
    CAPTURE(function);
    CAPTURE(call);
    fake_cuda::reset();
    fake_cuda::set_devices({device});
    {
      std::optional<Network<Model, Cuda>> net;
      fake_cuda::fail_next(function, code, call);
      const std::string message = error_of([&] {
        net.emplace(NetworkOptions{.seed = 3});
        use(*net, given);
      });
      if (message == "(no error)") break;
      ++failures;
      if (first.empty()) first = message;
      CHECK(has(message, " failed: "));
      CHECK(cudaPeekAtLastError() == cudaSuccess);
      if (!net) net.emplace(NetworkOptions{.seed = 3});
      CHECK(all_finite(values(*net)));
      CHECK(error_of([&] { use(*net, given); }) == "(no error)");
    }
    const auto counters = fake_cuda::counters();
    REQUIRE(counters.live_allocations == 0);
    REQUIRE(counters.bad_frees == 0);
  }
  CHECK(failures > 0);
  CHECK(failures < 2000);
  return first;
}

/// A row that overflows in the network: the run ends there, and leaves what a run over the rows before leaves.
template <class Model>
void check_overflow(std::size_t batch, std::size_t bad_row) {
  CAPTURE(batch);
  CAPTURE(bad_row);
  Labelled<Model> given(20);
  constexpr std::size_t size = Model::InputRow::size;
  for (float& value : std::span(given.x.data() + bad_row * size, size)) value = 3e38f;
  const SGD optimizer{.lr = 0.01, .momentum = 0.9};
  const std::size_t step = bad_row / batch;
  Network<Model, Cuda> cuda{{.seed = 3}}, before{{.seed = 3}};
  Network<Model> host{{.seed = 3}};
  for (float& weight : host.parameter("0.weight")) weight *= 4;
  cuda = host;
  before = host;
  const auto data = given.data();
  const auto got = fit(cuda, data, NLLLoss{}, optimizer, {.batch_size = batch, .epochs = 2, .shuffle = false});
  const auto want = fit(host, data, NLLLoss{}, optimizer, {.batch_size = batch, .epochs = 2, .shuffle = false});
  CHECK(has(got.stopped, "epoch 1: the loss of step " + std::to_string(step) + " is not finite"));
  CHECK(has(got.stopped, "the first layer with a gradient that is not finite is "));
  // Which layer is named may differ: on a GPU a dropped channel has no gradient, where the host has NaN times 0.
  const auto begin = [](const std::string& text) { return text.substr(0, text.find("the first layer")); };
  CHECK(begin(got.stopped) == begin(want.stopped));
  CHECK(got.epochs.empty());
  if (step > 0) {
    const auto sound = subset(data, 0, step * batch);
    CHECK(fit(before, sound, NLLLoss{}, optimizer, {.batch_size = batch, .shuffle = false}).stopped == "");
  }
  CHECK(same(values(cuda), values(before)));
  CHECK(norm_error(values(cuda), values(host)) < 1e-5);
}

// As Tiny, without the Tanh that makes 1 of infinity.
struct Sharp : Sequential<Input<3>, Linear<64>, ReLU, Linear<32>, ReLU, Linear<4>, LogSoftmax> {};
static_assert(plan_of<Sharp, SGD>(1) == CudaPlan::resident && plan_of<Sharp, SGD>(8) == CudaPlan::resident);
struct Line : Sequential<Input<1>, Linear<1>> {};

}  // namespace

TEST_CASE("numbers that are not finite and labels out of range are refused before anything is sent") {
  const FreshCuda cuda_runtime;
  Labelled<Tiny> given(9), good(9);
  Network<Tiny, Cuda> net;
  const auto sent = fake_cuda::counters().copies;
  using Options = FitOptions<decltype(given.data())>;
  const auto train = [&] { fit(net, given.data(), NLLLoss{}, SGD{.lr = 0.1}); };
  const auto validate = [&] {
    const auto data = given.data();
    fit(net, good.data(), NLLLoss{}, SGD{.lr = 0.1}, Options{.validation = &data});
  };
  given.x.data()[3 * 5 + 1] = std::numeric_limits<float>::quiet_NaN();
  check_refused(train, {"row 5", "feature 1", "nan"});
  check_refused(validate, {"row 5", "feature 1"});
  given.x.data()[3 * 5 + 1] = 0;
  given.labels[7] = 4;
  check_refused(train, {"row 7", "expected 0 to 3"});
  check_refused(validate, {"row 7", "expected 0 to 3"});
  check_refused([&] { evaluate(net, given.data(), NLLLoss{}); }, {"row 7"});
  CHECK(fake_cuda::counters().copies == sent);
}

TEST_CASE("a loss that is not finite ends training where it ends on the host, in each plan") {
  const FreshCuda cuda_runtime;
  for (const auto& [batch, row] : {std::pair<std::size_t, std::size_t>{1, 0}, {1, 7}, {3, 11}, {8, 19}}) {
    check_overflow<Sharp>(batch, row);
    check_overflow<Middle>(batch, row);
    check_overflow<Wide>(batch, row);
  }
}

TEST_CASE("a rate that is too high ends training in the same step as on the host") {
  const FreshCuda cuda_runtime;
  const auto run = [&]<class Model>(Model) {
    const Labelled<Model> given(40);
    Network<Model, Cuda> cuda{{.seed = 3}};
    Network<Model> host{{.seed = 3}};
    const auto got = fit(cuda, given.data(), NLLLoss{}, SGD{.lr = 1e30}, {.batch_size = 4, .epochs = 3});
    const auto want = fit(host, given.data(), NLLLoss{}, SGD{.lr = 1e30}, {.batch_size = 4, .epochs = 3});
    CHECK(!got.stopped.empty());
    CHECK(got.stopped == want.stopped);
    CHECK(got.epochs.size() == want.epochs.size());
    CHECK(all_finite(values(cuda)));
    CHECK(norm_error(values(cuda), values(host)) < 1e-5);
    check_refused([&] { fit(cuda, given.data(), NLLLoss{}, SGD{.lr = -1}); }, {"lr"});
    const auto stopped = fit(cuda, given.data(), NLLLoss{}, SGD{.lr = 1e300}, {.batch_size = 4}).stopped;
    CHECK(has(stopped, "learning rate of step 0"));
  };
  run(Sharp{});
  run(Middle{});
  run(Wide{});
}

TEST_CASE("a finite loss with a gradient that is not") {
  const FreshCuda cuda_runtime;
  Tensor<float, Shape<1>> x{{0.5f, -1.0f, 2.0f, 1e21f, 1.0f}}, y{{1.0f, 1.0f, 1.0f, 1.0f, 1.0f}};
  const auto data = dataset(x, y);
  Network<Line> host;
  host.parameter("0.weight")[0] = 0.009f;
  Network<Line, Cuda> cuda, before;
  cuda = host;
  before = host;
  const SGD optimizer{.lr = 1e-4};
  const auto got = fit(cuda, data, MSELoss{}, optimizer, {.batch_size = 1, .shuffle = false});
  const auto want = fit(host, data, MSELoss{}, optimizer, {.batch_size = 1, .shuffle = false});
  CHECK(has(got.stopped, "a gradient of step 3 is not finite"));
  CHECK(has(got.stopped, "is 0 (Linear)"));
  CHECK(got.stopped == want.stopped);
  fit(before, subset(data, 0, 3), MSELoss{}, optimizer, {.batch_size = 1, .shuffle = false});
  CHECK(same(values(cuda), values(before)));

  Trainer trainer{cuda, MSELoss{}, optimizer};
  const auto last = values(cuda);
  trainer.accumulate(subset(data, 3, 1));
  CHECK(!trainer.update());
  CHECK(has(trainer.problem(), "a gradient of step 0"));
  CHECK(same(values(cuda), last));
  trainer.step(subset(data, 0, 1));
  CHECK(trainer.problem().empty());
  CHECK(!same(values(cuda), last));
}

TEST_CASE("no driver, an old one, no device, and one that is not there") {
  const FreshCuda cuda_runtime;
  const auto make = [] { const Network<Tiny, Cuda> net; };
  fake_cuda::set_driver_version(0);
  check_refused(make, {"there is no CUDA device to use", "no NVIDIA driver", "sinter::Host"});
  fake_cuda::set_driver_version(11080);
  check_refused(make, {"too old", "11.8"});
  fake_cuda::reset();
  fake_cuda::set_devices({});
  check_refused(make, {"cudaErrorNoDevice"});
  fake_cuda::reset();
  check_refused([] { const Network<Tiny, Cuda> net{Cuda{.device = 1}}; }, {"CUDA device 1", "there is 1", "Fake H200"});
  check_refused([] { const Network<Tiny, Cuda> net{Cuda{.device = -1}}; }, {"CUDA device -1"});
  CHECK(error_of(make) == "(no error)");
}

TEST_CASE("a device that runs out of memory, at each allocation in turn") {
  const FreshCuda cuda_runtime;
  const std::string message = fail_each<Tiny>("cudaMalloc", cudaErrorMemoryAllocation);
  CHECK(has(message, "allocating "));
  CHECK(has(message, "smaller batches"));
  fail_each<Middle>("cudaMalloc", cudaErrorMemoryAllocation);
  fail_each<Layered>("cudaMalloc", cudaErrorMemoryAllocation, {.shared_memory_per_block = little});
  fail_each<Tiny>("cudaHostAlloc", cudaErrorMemoryAllocation);
}

TEST_CASE("other calls of the runtime that fail, each in turn") {
  const FreshCuda cuda_runtime;
  for (const char* function : {"cudaMemsetAsync", "cudaMemcpyAsync", "cudaStreamSynchronize", "cudaFuncGetAttributes",
                               "cudaDeviceGetAttribute", "cudaGetDevice"}) {
    fail_each<Tiny>(function, cudaErrorUnknown);
    fail_each<Middle>(function, cudaErrorUnknown);
  }
  fail_each<Large>("cudaFuncSetAttribute", cudaErrorUnknown);
  for (const char* function : {"cudaStreamCreateWithFlags", "cudaStreamBeginCapture", "cudaStreamEndCapture",
                               "cudaGraphInstantiate", "cudaGraphLaunch"})
    fail_each<Middle>(function, cudaErrorUnknown);
  const std::string message = fail_each<Tiny>("cudaLaunchKernel", cudaErrorNoKernelImageForDevice);
  CHECK(has(message, "launching a kernel failed: cudaErrorNoKernelImageForDevice"));
  CHECK(has(message, "compute capability 9.0"));
  CHECK(has(message, "-arch=native"));
  fail_each<Middle>("cudaLaunchKernel", cudaErrorInvalidDeviceFunction);
}

TEST_CASE("after an error that stays, all calls fail with a message, and the host continues") {
  const FreshCuda cuda_runtime;
  const Labelled<Tiny> given(13);
  Network<Tiny> host{{.seed = 3}};
  const auto before = weights(host);
  const fake_cuda::HostKernel bad{
      0, [](const void*, unsigned, unsigned, std::size_t) { fake_cuda::break_context(cudaErrorIllegalAddress); }};
  {
    Network<Tiny, Cuda> net{{.seed = 3}};
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
    trainer.step(given.x, given.labels);
    REQUIRE(cudaLaunchKernel(&bad, 1, 1, nullptr, 0, nullptr) == cudaSuccess);
    const std::vector<std::string> parts{"cudaErrorIllegalAddress", "a kernel launched before is at fault",
                                         "start the program again"};
    check_refused([&] { trainer.step(given.x, given.labels); }, parts);
    check_refused([&] { use(net, given); }, parts);
    check_refused([&] { host = net; }, parts);
    check_refused([&] { const auto copy = net; }, parts);
    check_refused([&] { const Network<Tiny, Cuda> other; }, parts);
    CHECK(same(weights(host), before));
    CHECK(fit(host, given.data(), NLLLoss{}, SGD{.lr = 0.1}).stopped == "");
  }
  fake_cuda::reset();
}

TEST_CASE("an error that the user's own call left behind is neither taken nor reported") {
  const FreshCuda cuda_runtime;
  const Labelled<Tiny> given(13);
  fake_cuda::fail_next("cudaEventCreate", cudaErrorInvalidValue);
  Network<Tiny, Cuda> net;
  CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
  use(net, given);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

TEST_CASE("nothing to work on") {
  const FreshCuda cuda_runtime;
  const Labelled<Tiny> none(0), some(3);
  Network<Tiny, Cuda> net;
  check_refused([&] { fit(net, none.data(), NLLLoss{}, SGD{.lr = 0.1}); }, {"0 rows"});
  check_refused(
      [&] {
        const auto data = none.data();
        fit(net, some.data(), NLLLoss{}, SGD{.lr = 0.1}, {.validation = &data});
      },
      {"0 rows"});
  check_refused([&] { fit(net, some.data(), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 0}); }, {"batch_size = 0"});
  check_refused([&] { evaluate(net, none.data(), NLLLoss{}); }, {"0 rows"});
  check_refused([&] { score(net, none.data()); }, {"0 rows"});
  check_refused([&] { net.workspace(0); }, {"0 rows"});
  CHECK(predict(net, none.data()).rows() == 0);
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  check_refused([&] { trainer.step(none.x, none.labels); }, {"0 rows"});
  check_refused([&] { trainer.step(some.x, none.labels); }, {"3 rows and 0 targets"});
  check_refused([&] { trainer.update(); }, {"no gradient"});
  CHECK(fit(net, some.data(), NLLLoss{}, SGD{.lr = 0.1}, {.epochs = 0}).epochs.empty());
  auto workspace = net.workspace(2);
  CHECK(net.forward(none.x, workspace).rows == 0);
}

TEST_CASE("networks on the second device stay there while the first is current") {
  const FreshCuda cuda_runtime;
  fake_cuda::set_devices({{.name = "first", .memory_bytes = 1}, {.name = "second"}});
  const auto run = [&]<class Model>(Model) {
    const Labelled<Model> given(13);
    Network<Model, Cuda> net{Cuda{.device = 1}, {.seed = 3}};
    Network<Model> host{{.seed = 3}};
    use(net, given);
    const History history = fit(host, given.data(), NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.9}, {.batch_size = 5});
    CHECK(history.stopped.empty());
    auto workspace = net.workspace(13);
    net.forward(given.x, workspace);
    const Network<Model, Cuda> moved = std::move(net), copy = moved;
    CHECK(copy.device().device == 1);
    CHECK(same(values(copy), values(moved)));
    int device = -1;
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 0);
    check_refused([] { const Network<Model, Cuda> none; }, {"allocating", "CUDA device 0"});
  };
  run(Tiny{});
  run(Middle{});
  run(Wide{});
}

TEST_CASE("networks go from device to device, and run on a stream of their own") {
  const FreshCuda cuda_runtime;
  fake_cuda::set_devices({{}, {}});
  cudaStream_t stream = nullptr;
  {
    const CurrentCudaDevice second(1);
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  }
  {
    const Labelled<Middle> given(13);
    Network<Middle, Cuda> zero{{.seed = 3}}, one{Cuda{.device = 1, .stream = stream}, {.seed = 4}};
    use(one, given);
    zero = one;
    CHECK(same(values(zero), values(one)));
    CHECK(zero.device().device == 1);
    use(zero, given);
    use(one, given);
    CHECK(same(values(zero), values(one)));
  }
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("predictions of a network too wide for a block take memory for all rows at once") {
  const FreshCuda cuda_runtime;
  struct Broad : Sequential<Input<3>, Linear<60000>, Linear<4>> {};
  fake_cuda::set_devices({{.memory_bytes = std::size_t{48} << 20}});
  const auto x = inputs<Broad::InputRow>(250);
  const auto labels = labels_for(250, 4);
  const Network<Broad, Cuda> net;
  CHECK(error_of([&] { evaluate(net, dataset(x, labels), CrossEntropyLoss{}); }) == "(no error)");
}

TEST_CASE("a small launch takes from a kernel the shared memory that one on another thread has asked for") {
  const FreshCuda cuda_runtime;
  using Kernel = gpu_kernels::InferTiles<Tiny, float, gpu_kernels::Rows<float, std::int32_t, float>>;
  const Labelled<Tiny> given(2000);
  const Network<Tiny, Cuda> net;
  const auto allowed_after = [&](std::size_t rows) {
    predict(net, subset(given.data(), 0, rows));
    cudaFuncAttributes attributes{};
    REQUIRE(cudaFuncGetAttributes(&attributes, gpu_kernels::kernel_of<Kernel>()) == cudaSuccess);
    return attributes.maxDynamicSharedSizeBytes;
  };
  const int many = allowed_after(2000);
  CHECK(allowed_after(1) >= many);
}

TEST_CASE("a validation set that says it has another number of rows is refused") {
  struct Claims {
    const Labelled<Tiny>* given;
    std::size_t says;
    std::size_t size() const { return says; }
    auto inputs() const { return given->data().inputs(); }
    auto targets() const { return given->data().targets(); }
  };
  const FreshCuda cuda_runtime;
  const Labelled<Tiny> given(10);
  const Claims all{&given, 10}, half{&given, 5};
  Network<Tiny> host;
  Network<Tiny, Cuda> cuda;
  check_refused([&] { fit(host, all, NLLLoss{}, SGD{.lr = 0.1}, {.validation = &half}); }, {"says that it has 5 rows"});
  check_refused([&] { fit(cuda, all, NLLLoss{}, SGD{.lr = 0.1}, {.validation = &half}); }, {"says that it has 5 rows"});
}

TEST_CASE("forward of too many rows, or on a device that fails") {
  const FreshCuda cuda_runtime;
  const Labelled<Tiny> given(3);
  const Network<Tiny, Cuda> net;
  auto small = net.workspace(2), large = net.workspace(3);
  check_refused([&] { net.forward(given.x, small); }, {"3 rows and a workspace for 2"});
  fake_cuda::fail_next("cudaLaunchKernel", cudaErrorNoKernelImageForDevice);
  check_refused([&] { net.forward(given.x, large); }, {"launching a kernel failed"});
  // On the host, forward does not throw: it ends the program with a message.
  const Network<Tiny> host;
  CHECK(has(last_words_of([&] {
              auto workspace = host.workspace(2);
              host.forward(given.x, workspace);
            }),
            "3 rows and a workspace for 2"));
}

TEST_CASE("a workspace is made while the device is full, and forward ends the program") {
  const FreshCuda cuda_runtime;
  const Labelled<Tiny> given(3);
  const Network<Tiny, Cuda> net;
  const std::string words = last_words_of([&] {
    fake_cuda::fail_next("cudaMalloc", cudaErrorMemoryAllocation);
    const std::string refused = error_of([&] { net.workspace(3); });
    if (has(refused, "out of memory")) return;
    auto workspace = net.workspace(3);
    net.forward(given.x, workspace);
  });
  CAPTURE(words);
  CHECK(has(words, "(it goes on)"));
}
