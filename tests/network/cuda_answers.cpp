// SPDX-License-Identifier: MIT
// labels: cuda large gpu sanitized
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 8, 7>, Conv2d<5, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 2>, Tanh, Flatten,
                        Linear<9>, ReLU, Linear<4>, LogSoftmax> {};
using NetRow = Net::InputRow;

std::vector<float> copy(const auto& view) {
  std::vector<float> all;
  for (std::size_t row = 0; row < view.rows; ++row)
    for (int i = 0; i < 4; ++i) all.push_back(view.data[static_cast<int>(row) * 4 + i]);
  return all;
}

}  // namespace

TEST_CASE("a few rows are answered by one launch, without a copy, an allocation or a wait for the stream") {
  const FreshCuda fake;
  const Network<Net, Cuda> net{{.seed = 3}};
  const auto x = inputs<NetRow>(200);
  auto few = net.workspace(4), many = net.workspace(200);
  const std::vector<float> want = copy(net.forward(x.view(), many));
  const auto before = fake_cuda::counters();
  for (std::size_t row = 0; row < 50; ++row) {
    const std::size_t rows = 1 + row % 4;
    const std::vector<float> got = copy(net.forward(x.view().slice(row, rows), few));
    REQUIRE(same(got, std::vector<float>(want.begin() + static_cast<long>(row) * 4,
                                         want.begin() + static_cast<long>(row + rows) * 4)));
  }
  const auto after = fake_cuda::counters();
  CHECK(after.launches - before.launches == 50);
  CHECK(after.copies == before.copies);
  CHECK(after.synchronisations == before.synchronisations);
  CHECK(after.mallocs + after.host_mallocs == before.mallocs + before.host_mallocs);
}

TEST_CASE("bytes are answered as they are, scaled on the device; no rows need no kernel") {
  const FreshCuda fake;
  const Network<Net, Cuda> net{{.seed = 3}};
  Network<Net> host{{.seed = 3}};
  Tensor<std::uint8_t, NetRow> x(3);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = static_cast<std::uint8_t>(i * 37);
  auto workspace = net.workspace(3);
  auto on_host = host.workspace(3);
  const auto pixels = Normalize::pixels(0.4f, 0.2f);
  const auto got = copy(net.forward(x.view(), workspace, pixels)), want = copy(host.forward(x.view(), on_host, pixels));
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  const long launches = fake_cuda::counters().launches;
  CHECK(net.forward(x.view().slice(0, 0), workspace, pixels).rows == 0);
  CHECK(fake_cuda::counters().launches == launches);
}

TEST_CASE("a kernel that fails, or does not answer, is an error and not a wait without end") {
  const FreshCuda fake;
  {
    const Network<Net, Cuda> net;
    const auto x = inputs<NetRow>(1);
    auto workspace = net.workspace(1);
    fake_cuda::fail_next("cudaLaunchKernel", cudaErrorLaunchOutOfResources);
    CHECK(has(error_of([&] { net.forward(x.view(), workspace); }), "launching a kernel failed"));
    CHECK(copy(net.forward(x.view(), workspace)).size() == 4);
  }
  gpu_kernels::HostExchange<float> exchange(Cuda{}, 2, 10, 4);
  exchange.request();
  CHECK(has(error_of([&] { exchange.wait(1); }), "a kernel ended without writing its outputs"));
  fake_cuda::fail_next("cudaStreamQuery", cudaErrorNotReady);  // still at work: that is no error, nor left as one
  CHECK(has(error_of([&] { exchange.wait(1); }), "a kernel ended without writing its outputs"));
  CHECK(cudaGetLastError() == cudaSuccess);
  fake_cuda::fail_next("cudaStreamQuery", cudaErrorInvalidResourceHandle);
  CHECK(has(error_of([&] { exchange.wait(1); }), "waiting for outputs failed"));
}

namespace {
struct Flat : Inputs<Named<"picture", Input<2, 5, 4>>, Named<"numbers", Input<3>>> {};
struct Both : Sequential<Flat,
                         Concat<Path<TakeInput<Flat, "picture">, Conv2d<3, 3>, Tanh, Flatten>,
                                Path<TakeInput<Flat, "numbers">, Linear<4>, ReLU>>,
                         Linear<2>> {};
}  // namespace

TEST_CASE("several inputs in the memory of the host, and in that of the device as rows") {
  Tensor<float, Shape<2, 5, 4>> pictures(7);
  Tensor<float, Shape<3>> numbers(7);
  for (std::size_t i = 0; i < pictures.values().size(); ++i)
    pictures.values()[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  for (std::size_t i = 0; i < numbers.values().size(); ++i)
    numbers.values()[i] = static_cast<float>(i * 79 % 1000) / 500 - 1;
  const Network<Both> host{{.seed = 1}};
  const Network<Both, Cuda> cuda = host;
  auto on_host = host.workspace(7);
  auto workspace = cuda.workspace(7);
  const auto wanted = host.forward(pictures, numbers, on_host);
  const auto y = cuda.forward(pictures, named<"numbers">(numbers), workspace);
  for (int i = 0; i < 14; ++i) CHECK(y.data[i] == doctest::Approx(wanted.data[i]).epsilon(1e-5));
  const auto all = predict(cuda, pictures, numbers);
  for (int i = 0; i < 14; ++i) CHECK(all.data()[i] == doctest::Approx(wanted.data[i]).epsilon(1e-5));
}
