// SPDX-License-Identifier: MIT
// labels: threads large processor unsanitized
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/gradient_check.hpp"
#include "support/safetensors.hpp"

using namespace sinter::internal;
using sinter_test::norm_error, sinter_test::Safetensors, sinter_test::WorstError;

// A thin ResNet-8 against PyTorch: losses, gradients, ten steps, and the buffers (tests/fixtures/README.md).
namespace {

constexpr int width = 4;
template <int Channels, int Kernel, auto... Options>
using Convolution = Conv2d<Channels, Kernel, Padding<Kernel / 2>, NoBias, Options...>;
template <int Channels>
using Same = Residual<Path<Convolution<Channels, 3>, BatchNorm2d<>, ReLU, Convolution<Channels, 3>, BatchNorm2d<>>>;
template <int Channels>
using Half =
    Residual<Path<Convolution<Channels, 3, Stride<2>>, BatchNorm2d<>, ReLU, Convolution<Channels, 3>, BatchNorm2d<>>,
             Shortcut<Convolution<Channels, 1, Stride<2>>, BatchNorm2d<>>>;

struct ResNet8 : Sequential<Input<3, 32, 32>, Convolution<width, 3>, BatchNorm2d<>, ReLU, Same<width>, ReLU,
                            Half<2 * width>, ReLU, Half<4 * width>, ReLU, AvgPool2d<8>, Flatten, Linear<10>> {};
using Ops = Program<ResNet8>;

const Safetensors fixture(std::string(SINTER_FIXTURES) + "/resnet8.safetensors");

/// All that a network keeps, of one group of the fixture.
template <class T>
AlignedArray<T> state(const std::string& group) {
  AlignedArray<T> all(static_cast<std::size_t>(Ops::storage_size));
  const auto copy = [&](const Parameter& p) {
    const auto values = fixture.values<T>(group + "." + std::string(p.name));
    REQUIRE(values.size() == static_cast<std::size_t>(p.size));
    std::copy(values.begin(), values.end(), all.data() + p.offset);
  };
  for (const Parameter& p : Ops::parameters) copy(p);
  for (const Parameter& p : Ops::buffers) copy(p);
  return all;
}

template <class T>
WorstError compare(const T* numbers, const auto& parameters, const std::string& group) {
  WorstError worst;
  for (const Parameter& p : parameters)
    worst.add(std::string(p.name), norm_error(std::vector<double>(numbers + p.offset, numbers + p.offset + p.size),
                                              fixture.values<double>(group + "." + std::string(p.name))));
  return worst;
}

template <class T>
struct FixtureBatch {
  Tensor<T, Shape<3, 32, 32>> x;
  std::vector<int> labels;
  explicit FixtureBatch(const std::string& which) : x(which == "a" ? 7 : 5) {
    const auto values = fixture.values<T>("x." + which);
    std::copy(values.begin(), values.end(), x.data());
    for (const float label : fixture.values<float>("labels." + which)) labels.push_back(static_cast<int>(label));
  }
};

/// The state of the network after ten steps.
template <class Device, class Precision>
std::vector<typename Precision::Scalar> check(const Device& device, double most, double most_after_ten) {
  using T = typename Precision::Scalar;
  Network<ResNet8, Device, Precision> net(device, {.seed = 1});
  const auto initial = state<T>("initial");
  net.from_host({initial.data(), initial.size()});
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.01, .momentum = 0.9}};
  const FixtureBatch<T> a("a"), b("b");
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step) {
    const auto& batch = step % 2 == 0 ? a : b;
    losses.push_back(static_cast<double>(trainer.step(batch.x, batch.labels)));
    if (step != 0) continue;
    const WorstError gradient = compare(net.gradient().data(), Ops::parameters, "gradient");
    INFO("gradient of " << gradient.tensor);
    CHECK(gradient.error < most);
    const WorstError buffers = compare(net.data(), Ops::buffers, "first");
    INFO("buffer " << buffers.tensor);
    CHECK(buffers.error < most);
  }
  CHECK(norm_error(losses, fixture.values<double>("losses")) < most_after_ten);
  const WorstError parameters = compare(net.data(), Ops::parameters, "final");
  INFO("parameter " << parameters.tensor);
  CHECK(parameters.error < most_after_ten);
  const WorstError buffers = compare(net.data(), Ops::buffers, "final");
  INFO("buffer " << buffers.tensor);
  CHECK(buffers.error < most_after_ten);

  auto workspace = net.workspace(7);
  const auto y = net.forward(a.x, workspace);
  CHECK(norm_error(std::vector<double>(y.data, y.data + 70), fixture.values<double>("y.a")) < most_after_ten);
  return {net.data(), net.data() + Ops::storage_size};
}

}  // namespace

TEST_CASE("the host in double") { check<Host, Float64>(Host{}, 1e-6, 1e-6); }
TEST_CASE("the host in float, the same bits for any number of threads") {
  const auto one = check<Host, Float32>(Host{}, 1e-5, 1e-4);
  CHECK(one == check<Host, Float32>(Host{.threads = 2}, 1e-5, 1e-4));
  CHECK(one == check<Host, Float32>(Host{.threads = 3}, 1e-5, 1e-4));
}
