// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
// LayerNorm, GroupNorm and InstanceNorm2d against PyTorch, alone and in ten steps of a network (tests/fixtures/README.md).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/host.hpp"
#include "support/pytorch_layers.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

const Safetensors fixture(std::string(SINTER_FIXTURES) + "/norms.safetensors");

struct Net : Sequential<Input<2, 7, 9>, Conv2d<6, 3, Padding<1>>, GroupNorm<3>, ReLU, Conv2d<4, 3, Stride<2>>,
                        LayerNorm<>, Tanh, InstanceNorm2d<>, Flatten, Linear<9>, LayerNorm<>, ReLU, Linear<5>> {};
using Ops = Program<Net>;

template <class Shape, class Layer>
void check_layer(const std::string& name) {
  using Model = Sequential<Shape, Layer>;
  const GivenGradient given;
  ReferenceEngine<Model, double> reference;
  auto host = MakeHost<>{2}.template make<Model, float>();
  CAPTURE(name);
  CHECK(layer_error(any_model<Model>(), any_engine<double>(reference, given), fixture, name).error < 6e-8);
  CHECK(layer_error(any_model<Model>(), any_engine<float>(host, given), fixture, name).error < 2e-6);
}

template <class T>
WorstError compare(const T* numbers, const std::string& group) {
  WorstError worst;
  for (const Parameter& p : Ops::parameters)
    worst.add(std::string(p.name), norm_error(std::vector<double>(numbers + p.offset, numbers + p.offset + p.size),
                                              fixture.values<double>(group + "." + std::string(p.name))));
  return worst;
}

template <class Device, class Precision>
void check_steps(const Device& device, double most) {
  using T = typename Precision::Scalar;
  Network<Net, Device, Precision> net(device, {.seed = 1});
  AlignedArray<T> initial(static_cast<std::size_t>(Ops::storage_size));
  for (const Parameter& p : Ops::parameters) {
    const auto values = fixture.values<T>("initial." + std::string(p.name));
    REQUIRE(values.size() == static_cast<std::size_t>(p.size));
    std::copy(values.begin(), values.end(), initial.data() + p.offset);
  }
  net.from_host({initial.data(), initial.size()});
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.9}};
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step) {
    const std::string which = step % 2 == 0 ? "a" : "b";
    const auto values = fixture.values<T>("x." + which);
    Tensor<T, Shape<2, 7, 9>> x(which == "a" ? 9 : 5);
    std::copy(values.begin(), values.end(), x.data());
    losses.push_back(static_cast<double>(trainer.step(x, fixture.values<int>("labels." + which))));
    if (step > 0) continue;
    const WorstError gradient = compare(net.gradient().data(), "gradient");
    INFO("gradient of " << gradient.tensor);
    CHECK(gradient.error < most);
  }
  CHECK(norm_error(losses, fixture.values<double>("losses")) < most);
  const WorstError parameters = compare(net.data(), "final");
  INFO("parameter " << parameters.tensor);
  CHECK(parameters.error < most);
}

}  // namespace

TEST_CASE("layers give the numbers of PyTorch") {
  check_layer<Input<11>, LayerNorm<>>("layer_norm");
  check_layer<Input<3, 4, 5>, LayerNorm<Epsilon<1e-3>>>("layer_norm_image");
  check_layer<Input<7>, LayerNorm<NoBias>>("layer_norm_no_bias");
  check_layer<Input<7>, LayerNorm<NoAffine>>("layer_norm_no_affine");
  check_layer<Input<33>, LayerNorm<>>("layer_norm_large_mean");
  check_layer<Input<6, 5, 3>, GroupNorm<2>>("group_norm");
  check_layer<Input<12>, GroupNorm<3, Epsilon<1e-2>>>("group_norm_features");
  check_layer<Input<4, 3, 7>, GroupNorm<2, NoAffine>>("group_norm_no_affine");
  check_layer<Input<3, 5, 4>, InstanceNorm2d<>>("instance_norm");
  check_layer<Input<3, 5, 4>, GroupNorm<0>>("instance_norm_affine");
  check_layer<Input<3, 7>, LayerNorm<>>("layer_norm_series");
  check_layer<Input<4, 9>, InstanceNorm1d<>>("instance_norm_series");
}
TEST_CASE("ten steps of a network") {
  check_steps<Host, Float64>(Host{}, 1e-6);
  check_steps<Host, Float32>(Host{.threads = 2}, 2e-5);
}
TEST_CASE("names, shapes and first numbers are PyTorch's") {
  const Parameter& weight = Ops::parameters[6];
  CHECK(weight.name == "4.weight");
  CHECK((weight.rank == 3 && weight.shape[0] == 4 && weight.shape[1] == 3 && weight.shape[2] == 4));
  CHECK((Ops::parameters[2].name == "1.weight" && Ops::parameters[3].name == "1.bias"));
  CHECK(Program<Sequential<Input<4>, LayerNorm<NoAffine>>>::parameter_count == 0);
  CHECK(Program<Sequential<Input<4>, LayerNorm<NoBias>>>::parameter_count == 1);
  const Network<Net> net{{.seed = 3}};
  CHECK(net.data()[weight.offset] == 1);
  CHECK(net.data()[Ops::parameters[7].offset] == 0);
}
