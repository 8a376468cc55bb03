// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <type_traits>

#include "support/networks.hpp"
#include "support/safetensors.hpp"

/// fixtures/layers.safetensors: each layer and loss alone, by PyTorch.
namespace sinter_test {

/// The output and all gradients of a layer with the parameters, x and dy of its case. The engine's loss is GivenGradient.
WorstError layer_error(const AnyModel& model, const AnyEngine<float>& engine, const Safetensors& all,
                       const std::string& name);
WorstError layer_error(const AnyModel& model, const AnyEngine<double>& engine, const Safetensors& all,
                       const std::string& name);
/// The mean of a loss and its gradient with respect to what it is given.
WorstError loss_error(const AnyModel& model, const AnyEngine<float>& engine, const Safetensors& all,
                      const std::string& name);
WorstError loss_error(const AnyModel& model, const AnyEngine<double>& engine, const Safetensors& all,
                      const std::string& name);

/// Compares the engines `make.template make<Model, T>()` with every case. The fixtures are rounded to float.
template <class T, class Make>
void check_layers_against_pytorch(const Make& make) {
  using namespace sinter::internal;
  const Safetensors all(std::string(SINTER_FIXTURES) + "/layers.safetensors");
  std::size_t tensors = 0;
  const auto judge = [&](const std::string& name, const WorstError& worst, double most) {
    CAPTURE(name);
    CAPTURE(worst.tensor);
    CHECK(worst.error < most);
  };
  const auto check = [&]<class Model>(const std::string& name, std::type_identity<Model>, const auto& error) {
    auto engine = make.template make<Model, T>();
    judge(name, error(engine), std::is_same_v<T, double> ? 6e-8 : 2e-6);
    for (const auto& entry : all.tensors()) tensors += entry.first.rfind(name + ".", 0) == 0;
  };

  const auto layer = [&]<class Shape, class Layer>(const std::string& name, Shape, Layer) {
    using Model = Sequential<Shape, Layer>;
    check(name, std::type_identity<Model>{}, [&](auto& engine) {
      const GivenGradient given;
      return layer_error(any_model<Model>(), any_engine<T>(engine, given), all, name);
    });
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
  const auto loss = [&]<class Shape, class Loss>(const std::string& name, Shape, Loss given) {
    using Model = Sequential<Shape, Dropout<0.0>>;
    check(name, std::type_identity<Model>{},
          [&](auto& engine) { return loss_error(any_model<Model>(), any_engine<T>(engine, given), all, name); });
  };
  loss("nll_loss", Input<7>{}, NLLLoss{});
  loss("cross_entropy_loss", Input<7>{}, CrossEntropyLoss{});
  loss("cross_entropy_loss_large", Input<7>{}, CrossEntropyLoss{});
  loss("mse_loss", Input<3>{}, MSELoss{});

  CHECK(tensors == all.tensors().size());  // no case was forgotten
}

}  // namespace sinter_test
