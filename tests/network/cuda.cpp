// SPDX-License-Identifier: MIT
// labels: cuda threads large gpu sanitized
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 8, 7>, Conv2d<5, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 2>, Dropout2d<0.5>,
                        Tanh, Flatten, Linear<9>, ReLU, Dropout<0.5>, Linear<4>, LogSoftmax> {};
using NetRow = Net::InputRow;

struct Fake {
  Fake() { fake_cuda::reset(); }
  ~Fake() {
    const auto counters = fake_cuda::counters();
    CHECK(counters.overruns == 0);
    CHECK(counters.bad_frees == 0);
    CHECK(counters.live_allocations == 0);
  }
};

}  // namespace

TEST_CASE("the same seed gives the same weights on both, and assignment copies them") {
  const Fake fake;
  Network<Net, Cuda> cuda{{.seed = 3}};
  Network<Net> host{{.seed = 3}}, other{{.seed = 4}};
  const auto copy = cuda.to_host();
  CHECK(same(std::vector<float>(copy.data(), copy.data() + copy.size()), weights(host)));
  cuda = other;
  host = cuda;
  CHECK(same(weights(host), weights(other)));
  const Network<Net, Cuda> again = cuda;
  host = again;
  CHECK(same(weights(host), weights(other)));
}

TEST_CASE("predict, forward, score and evaluate are those of the host") {
  const Fake fake;
  const Network<Net, Cuda> cuda{{.seed = 3}};
  const Network<Net> host{{.seed = 3}};
  const auto x = inputs<NetRow>(131);
  const auto labels = labels_for(131, 4);
  const auto data = dataset(x, labels);
  const auto want = predict(host, data), got = predict(cuda, data);
  CHECK(norm_error(got.values(), want.values()) < 1e-6);
  const auto [loss, accuracy] = evaluate(cuda, data, NLLLoss{});
  const auto on_host = evaluate(host, data, NLLLoss{});
  CHECK(loss == doctest::Approx(on_host.loss).epsilon(1e-6));
  CHECK(accuracy == on_host.accuracy);
  CHECK(score(cuda, data) == on_host.accuracy);
  auto workspace = cuda.workspace(7);
  const auto y = cuda.forward(x.view().slice(3, 7), workspace);
  CHECK(norm_error(std::vector<float>(y.data, y.data + 28), std::vector<float>(want.data() + 12, want.data() + 40)) <
        1e-6);
}

TEST_CASE("fit and a loop of steps train as the host does") {
  const Fake fake;
  const auto x = inputs<NetRow>(75);
  const auto labels = labels_for(75, 4);
  const auto data = dataset(x, labels);
  const auto check = [&](auto optimizer) {
    Network<Net, Cuda> cuda;
    Network<Net> host;
    const FitOptions<std::remove_const_t<decltype(data)>> options{
        .batch_size = 16, .epochs = 2, .validation = &data, .interval = 2};
    const History got = fit(cuda, data, NLLLoss{}, optimizer, options),
                  want = fit(host, data, NLLLoss{}, optimizer, options);
    REQUIRE(got.epochs.size() == 2);
    REQUIRE(got.intervals.size() == want.intervals.size());
    for (std::size_t e = 0; e < 2; ++e) {
      CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-5));
      CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(1e-5));
    }
    Network<Net> after;
    after = cuda;
    CHECK(norm_error(weights(after), weights(host)) < 1e-5);
  };
  check(SGD{.lr = 0.05, .momentum = 0.9});
  check(Adam{.lr = 0.003});
}

TEST_CASE("a plan can be asked for, and describe says what each does") {
  const Fake fake;
  const auto x = inputs<NetRow>(40);
  const auto labels = labels_for(40, 4);
  const auto data = dataset(x, labels);
  Network<Net> host;
  fit(host, data, NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 16, .epochs = 3});
  const auto check = [&](auto device, const char* plan) {
    Network<Net, decltype(device)> net{device};
    const std::string text = describe(net, 16);
    CAPTURE(text);
    CHECK(has(text, std::string("plan ") + plan + " on cuda"));
    CHECK(has(text, "stage 1: convolution 2->5 3x3"));
    fit(net, data, NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 16, .epochs = 3});
    Network<Net> after;
    after = net;
    CHECK(norm_error(weights(after), weights(host)) < 1e-5);
  };
  check(CudaWith<CudaPlan::resident>{}, "resident");
  check(CudaWith<CudaPlan::pair>{}, "pair");
  check(CudaWith<CudaPlan::layers>{}, "layers");
  fake_cuda::set_devices({{.shared_memory_per_block = 4096}});
  Network<Net, CudaWith<CudaPlan::pair>> small;
  const std::string text = error_of([&] { fit(small, data, NLLLoss{}, SGD{}, {.batch_size = 16, .epochs = 1}); });
  CHECK(has(text, "the plan pair of this network needs more than the 4096 bytes"));
  CHECK(has(text, "CudaWith<CudaPlan::layers>"));
}

TEST_CASE("AnyDevice takes the cheaper device, and says why") {
  struct Tiny : Sequential<Input<2>, Linear<2>> {};
  struct Large : Sequential<Input<64>, Linear<256>, ReLU, Linear<64>> {};
  const Fake fake;
  const AnyDevice<Tiny> tiny(8);
  CHECK(!tiny.is_cuda());
  CHECK(has(tiny.why(), "host: a step of 8 rows is estimated at 0.5 us on the host"));
  const AnyDevice<Large> large(512, Host{.threads = 2});
  CHECK(large.is_cuda());
  CHECK(has(large.why(), "cuda, device 0 \"Fake H200\": a step of 512 rows"));
  CHECK(large.run([](const auto& device) { return std::string(device.name); }) == "cuda");
  fake_cuda::set_driver_version(0);
  const AnyDevice<Large> without(512);
  CHECK(!without.is_cuda());
  CHECK(has(without.why(), "no NVIDIA driver was found"));
  CHECK(without.run([](const auto& device) { return std::string(device.name); }) == "host");
}

TEST_CASE("rows in the memory of the device are read in place") {
  const Fake fake;
  const auto x = inputs<NetRow>(40);
  const auto labels = labels_for(40, 4);
  CudaArray<float> on_device(Cuda{}, 40 * NetRow::size);
  on_device.upload(x.data(), on_device.size());
  const TensorView<const float, NetRow, CudaMemory> view{on_device.data(), 40};
  const auto data = dataset(x, labels);
  const auto data_on_device = dataset(view, labels);

  Network<Net, Cuda> net, other;
  const auto want = predict(net, data), got = predict(net, data_on_device);
  CHECK(same(std::vector<float>(got.values().begin(), got.values().end()),
             std::vector<float>(want.values().begin(), want.values().end())));
  auto workspace = net.workspace(40);
  const long copies = fake_cuda::counters().copies;
  const auto y = net.forward(view.slice(2, 5), workspace);
  CHECK(fake_cuda::counters().copies == copies);
  std::vector<float> on_host(20);
  REQUIRE(cudaMemcpy(on_host.data(), y.data, 20 * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(same(on_host, std::vector<float>(want.data() + 8, want.data() + 28)));

  fit(net, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 16, .epochs = 2});
  fit(other, data_on_device, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 16, .epochs = 2});
  Network<Net> a, b;
  a = net;
  b = other;
  CHECK(same(weights(a), weights(b)));
  Trainer one{net, NLLLoss{}, SGD{.lr = 0.1}}, two{other, NLLLoss{}, SGD{.lr = 0.1}};
  CHECK(one.step(x, labels) == two.step(view, labels));
}
