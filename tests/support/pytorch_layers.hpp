// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/networks.hpp"
#include "support/safetensors.hpp"

/// fixtures/layers.safetensors: each layer and loss alone, by PyTorch.
namespace sinter_test {

/// The output and all gradients of a layer with the parameters, x and dy of its case.
template <class T, class Model, class Make>
WorstError layer_error(const Make& make, const Safetensors& all, const std::string& name) {
  const auto y = all.values<T>(name + ".y"), dy = all.values<T>(name + ".dy");
  const std::size_t rows = all[name + ".x"].shape[0];
  Problem<Model, T> problem{Problem<Model>(rows, 1)};
  REQUIRE(all[name + ".x"].values.size() == problem.x.size());
  REQUIRE(y.size() == problem.wanted.size());
  problem.x = all.values<T>(name + ".x");
  problem.wanted = dy;
  for (const auto& p : sinter::Program<Model>::parameters) {
    const auto from = all.values<T>(name + (p.is_bias ? ".bias" : ".weight"));
    REQUIRE(from.size() == static_cast<std::size_t>(p.size));
    std::copy(from.begin(), from.end(), problem.parameters.begin() + p.offset);
  }

  auto engine = make.template make<Model, T>();
  std::vector<T> output(y.size());
  engine.forward(problem.parameters.data(), problem.x.data(), rows, output.data());
  const auto g = gradients_of(engine, problem, GivenGradient{}, T(1));

  // What is left of dy behind a saturated softmax, float cannot tell: there, the error is one of dy.
  const double least = sizeof(T) == 4 ? norm(dy) / 10 : 1e-12;
  WorstError worst;
  worst.add("y", norm_error(output, y));
  worst.add("dx", norm_error(g.input, all.values<T>(name + ".dx"), least));
  for (const auto& p : sinter::Program<Model>::parameters)
    worst.add(p.name(),
              norm_error(tensor_of(p, g.parameters), all.values<T>(name + (p.is_bias ? ".dbias" : ".dweight"))));
  return worst;
}

/// The mean of a loss and its gradient with respect to what it is given.
template <class T, class Model, class Loss, class Make>
WorstError loss_error(const Make& make, const Safetensors& all, const std::string& name) {
  const std::size_t rows = all[name + ".x"].shape[0];
  Problem<Model, T> problem{Problem<Model>(rows, 1)};
  REQUIRE(all[name + ".x"].values.size() == problem.x.size());
  problem.x = all.values<T>(name + ".x");
  if (all.has(name + ".target"))
    problem.wanted = all.values<T>(name + ".target");
  else
    problem.labels = all.values<int>(name + ".labels");

  auto engine = make.template make<Model, T>();
  const auto g = gradients_of(engine, problem, Loss{}, T(1) / static_cast<T>(rows));
  WorstError worst;
  worst.add("loss", norm_error(std::vector{g.loss / static_cast<double>(rows)}, all.values<double>(name + ".loss")));
  worst.add("dx", norm_error(g.input, all.values<T>(name + ".dx")));
  return worst;
}

/// Compares the engines `make.template make<Model, T>()` with every case, in double and in float. The fixtures are rounded to float.
template <class Make>
void check_layers_against_pytorch(const Make& make) {
  using namespace sinter;
  const Safetensors all(std::string(SINTER_FIXTURES) + "/layers.safetensors");
  std::size_t tensors = 0;
  const auto judge = [&](const std::string& name, const WorstError& in_double, const WorstError& in_float) {
    CAPTURE(name);
    CAPTURE(in_double.tensor);
    CAPTURE(in_float.tensor);
    CHECK(in_double.error < 6e-8);
    CHECK(in_float.error < 2e-6);
    for (const auto& entry : all.tensors()) tensors += entry.first.rfind(name + ".", 0) == 0;
  };

  const auto layer = [&]<class Shape, class Layer>(const std::string& name, Shape, Layer) {
    using Model = Sequential<Shape, Layer>;
    judge(name, layer_error<double, Model>(make, all, name), layer_error<float, Model>(make, all, name));
  };
  layer("conv_plain", Input<3, 7, 9>{}, Conv2d<5, Kernel<3, 2>>{});
  layer("conv_stride", Input<2, 9, 6>{}, Conv2d<3, 3, Stride<2>>{});
  layer("conv_padding", Input<1, 5, 8>{}, Conv2d<4, Kernel<3, 5>, Padding<1>>{});
  layer("conv_dilation", Input<2, 7, 10>{}, Conv2d<3, Kernel<2, 3>, Dilation<2>>{});
  layer("conv_groups", Input<4, 6, 5>{}, Conv2d<6, 3, Groups<2>>{});
  layer("conv_depthwise", Input<3, 5, 7>{}, Conv2d<3, 3, Padding<1>, Groups<3>>{});
  layer("conv_no_bias", Input<2, 4, 3>{}, Conv2d<5, 1, NoBias>{});
  layer("conv_all", Input<4, 9, 8>{}, Conv2d<6, Kernel<3, 2>, Stride<2>, Padding<1>, Dilation<2>, Groups<2>>{});
  layer("conv_two_numbers", Input<2, 8, 7>{}, Conv2d<3, Kernel<2, 3>, Stride<2, 1>, Padding<0, 2>, Dilation<1, 2>>{});
  layer("linear", Input<7>{}, Linear<5>{});
  layer("linear_no_bias", Input<5>{}, Linear<3, NoBias>{});
  layer("avgpool_2", Input<3, 7, 5>{}, AvgPool2d<2>{});
  layer("maxpool_2", Input<3, 7, 5>{}, MaxPool2d<2>{});
  layer("avgpool_3_stride_2", Input<2, 9, 6>{}, AvgPool2d<3, Stride<2>>{});
  layer("maxpool_3_stride_2", Input<2, 9, 6>{}, MaxPool2d<3, Stride<2>>{});
  layer("avgpool_3_stride_2_padding_1", Input<2, 8, 5>{}, AvgPool2d<3, Stride<2>, Padding<1>>{});
  layer("maxpool_3_stride_2_padding_1", Input<2, 8, 5>{}, MaxPool2d<3, Stride<2>, Padding<1>>{});
  layer("maxpool_ties", Input<1, 7, 8>{}, MaxPool2d<3, Stride<2>, Padding<1>>{});
  layer("relu", Input<11>{}, ReLU{});
  layer("sigmoid", Input<11>{}, Sigmoid{});
  layer("tanh", Input<11>{}, Tanh{});
  layer("softmax", Input<7>{}, Softmax{});
  layer("softmax_large", Input<5>{}, Softmax{});
  layer("log_softmax", Input<7>{}, LogSoftmax{});
  layer("log_softmax_large", Input<5>{}, LogSoftmax{});

  // The loss reads the input through an identity: devices need not run a network without ops.
  const auto loss = [&]<class Shape, class Loss>(const std::string& name, Shape, Loss) {
    using Model = Sequential<Shape, Dropout<0.0>>;
    judge(name, loss_error<double, Model, Loss>(make, all, name), loss_error<float, Model, Loss>(make, all, name));
  };
  loss("nll_loss", Input<7>{}, NLLLoss{});
  loss("cross_entropy_loss", Input<7>{}, CrossEntropyLoss{});
  loss("cross_entropy_loss_large", Input<7>{}, CrossEntropyLoss{});
  loss("mse_loss", Input<3>{}, MSELoss{});

  CHECK(tensors == all.tensors().size());  // no case was forgotten
}

}  // namespace sinter_test
