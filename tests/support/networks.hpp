// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>

#include "sinter/core/type_list.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/group_norm.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/layers/residual.hpp"
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/smooth_l1.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "support/gradient_check.hpp"
#include "support/w1.hpp"

/// Small networks that between them have every op with every option, channels 1 to 5, images that are not square: what
/// every device must get right. `check_gradients(make, networks::Pools{})` checks a list of them by central differences.
namespace sinter_test {

template <class M, class L = GivenGradient>
struct Case {
  using Model = M;
  using Loss = L;
};

namespace networks {
using namespace sinter::internal;

/// y = x^3, from the input.
struct Cube {
  static constexpr const char* name = "Cube";
  static constexpr bool backward_reads_output = false;
  template <class V>
  SINTER_FN static V forward(V x) {
    return x * x * x;
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return V(3) * x * x * dy;
  }
};

/// y = x^2 / (1 + |x|) as a user might write it, in double only.
struct OfUser {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x < 0 ? x * x / (1 - x) : x * x / (1 + x); }
  static double backward(double x, double dy) {
    const double a = x < 0 ? -x : x;
    return dy * (x < 0 ? -1 : 1) * a * (2 + a) / ((1 + a) * (1 + a));
  }
};

template <class Shape, class... Layers>
using Chain = Case<Sequential<Shape, Layers...>>;

using Losses = TypeList<  //
    Case<Sequential<Input<5>, Linear<4>, LogSoftmax>, NLLLoss>, Case<Sequential<Input<5>, Linear<4>>, CrossEntropyLoss>,
    Case<Sequential<Input<5>, Linear<4>>, MSELoss>, Case<Sequential<Input<2, 3, 2>, Conv2d<3, 2>>, MSELoss>>;

struct KLDivOfLogs : KLDivLoss {
  constexpr KLDivOfLogs() : KLDivLoss{.log_target = true, .batchmean = true} {}
};
struct SmoothedCrossEntropy : CrossEntropyLoss {
  constexpr SmoothedCrossEntropy() : CrossEntropyLoss{.label_smoothing = 0.2} {}
};
struct UnevenCrossEntropy : WeightedCrossEntropyLoss<7> {
  constexpr UnevenCrossEntropy()
      : WeightedCrossEntropyLoss<7>{.weight = {1, 0.5, 2, 0.25, 3, 0, 1.5}, .ignore_index = 3, .label_smoothing = 0.1} {
  }
};
using MoreLosses = TypeList<  //
    Case<Sequential<Input<5>, Linear<7>>, L1Loss>, Case<Sequential<Input<5>, Linear<1>>, SmoothL1Loss>,
    Case<Sequential<Input<2, 3, 2>, Conv2d<3, 2>>, HuberLoss>,
    Case<Sequential<Input<5>, Linear<17>>, BCEWithLogitsLoss>,
    Case<Sequential<Input<5>, Linear<4>, LogSoftmax>, KLDivOfLogs>,
    Case<Sequential<Input<5>, Linear<4>>, SmoothedCrossEntropy>,
    Case<Sequential<Input<5>, Linear<7>>, UnevenCrossEntropy>>;

using Products = TypeList<  //
    Chain<Input<1>, Linear<1>>, Chain<Input<17>, Linear<9>>, Chain<Input<6>, Linear<5, NoBias>, Linear<3>>>;

using Maps = TypeList<  //
    Chain<Input<9>, Linear<8>, ReLU, Linear<4>>, Chain<Input<9>, Linear<8>, Tanh, Linear<4>>,
    Chain<Input<9>, Linear<8>, Sigmoid, Linear<4>>, Chain<Input<9>, Linear<8>, Activation<Cube>, Linear<4>>,
    Chain<Input<9>, Linear<8>, Activation<OfUser>, Linear<4>>, Chain<Input<9>, Activation<Cube>, Tanh, ReLU>,
    Chain<Input<3, 2, 5>, ReLU, Conv2d<2, 2>, Sigmoid, Activation<Cube>>>;

using Activations = TypeList<  //
    Chain<Input<7>, Linear<17>, LeakyReLU<>, Linear<7>, ELU<>, Linear<1>, SiLU>,
    Chain<Input<7>, Linear<9>, GELU, Linear<5>, GELUTanh>,
    Chain<Input<1>, Linear<7>, Softplus<>, Linear<9>, Hardswish, Linear<3>, LeakyReLU<-0.5>>,
    Chain<Input<7>, Linear<9>, Mish, Linear<5>, SELU, Linear<8>, CELU<0.5>, Linear<4>, Softsign, Linear<3>, LogSigmoid>,
    Chain<Input<2, 5, 4>, Mish, Conv2d<3, 2>, SELU, CELU<>, Softsign, LogSigmoid>,
    Chain<Input<2, 5, 4>, Hardswish, Conv2d<3, 2>, ELU<0.5>, SiLU, Softplus<0.5, 1.0>>>;

using Rows = TypeList<  //
    Chain<Input<6>, Softmax>, Chain<Input<6>, LogSoftmax>, Chain<Input<1>, LogSoftmax, Linear<2>>,
    Case<Sequential<Input<7>, Linear<5>, Softmax>, MSELoss>, Chain<Input<7>, Linear<5>, Softmax, Linear<4>, Softmax>>;

using Convolutions = TypeList<                                                        //
    Chain<Input<1, 6, 5>, Conv2d<1, 3>>,                                              //
    Chain<Input<2, 5, 8>, Conv2d<3, Kernel<2, 4>>>,                                   //
    Chain<Input<3, 4, 3>, Conv2d<5, 1, NoBias>>,                                      //
    Chain<Input<4, 7, 5>, Conv2d<2, 3, Stride<2>>>,                                   //
    Chain<Input<5, 6, 7>, Conv2d<3, 2, Stride<3, 2>>>,                                //
    Chain<Input<1, 3, 5>, Conv2d<2, Kernel<3, 5>, Padding<1, 3>>>,                    //
    Chain<Input<2, 7, 9>, Conv2d<2, 3, Dilation<2, 3>>>,                              //
    Chain<Input<4, 5, 6>, Conv2d<6, 3, Groups<2>>>,                                   //
    Chain<Input<3, 5, 4>, Conv2d<3, 3, Padding<1>, Groups<3>>>,                       //
    Chain<Input<2, 2, 3>, Conv2d<3, Kernel<2, 3>>>,                                   //
    Chain<Input<2, 6, 7>, Conv2d<3, 3, Padding<1>>, Tanh, Conv2d<2, 3, Padding<1>>>,  //
    Chain<Input<4, 9, 8>, Conv2d<6, Kernel<3, 2>, Stride<2>, Padding<1>, Dilation<2>, Groups<2>, NoBias>>>;

using Pools = TypeList<                                                  //
    Chain<Input<1, 4, 6>, MaxPool2d<2>>,                                 //
    Chain<Input<2, 5, 7>, MaxPool2d<Kernel<2, 3>>>,                      //
    Chain<Input<3, 7, 5>, MaxPool2d<3, Stride<2>>>,                      //
    Chain<Input<4, 6, 5>, MaxPool2d<3, Stride<2, 1>, Padding<1>>>,       //
    Chain<Input<5, 5, 4>, MaxPool2d<2, Stride<3>, Padding<1, 0>>>,       //
    Chain<Input<1, 4, 6>, AvgPool2d<2>>,                                 //
    Chain<Input<2, 5, 7>, AvgPool2d<Kernel<2, 3>>>,                      //
    Chain<Input<3, 7, 5>, AvgPool2d<3, Stride<2>>>,                      //
    Chain<Input<4, 6, 5>, AvgPool2d<3, Stride<2, 1>, Padding<1>>>,       //
    Chain<Input<2, 9, 8>, Conv2d<3, 2>, MaxPool2d<2>>,                   //
    Chain<Input<2, 8, 9>, Conv2d<3, 3>, AvgPool2d<Kernel<2, 3>>, Tanh>,  //
    Chain<Input<2, 9, 8>, Conv2d<3, 2>, Tanh, MaxPool2d<2>, Flatten, Linear<4>>,
    Chain<Input<2, 9, 8>, Conv2d<3, 2>, MaxPool2d<3, Stride<1>>, AvgPool2d<2>>,
    Chain<Input<3, 8, 7>, AvgPool2d<2, Stride<1>>, Conv2d<2, 2>, MaxPool2d<2>>>;

using Masks = TypeList<  //
    Chain<Input<9>, Dropout<0.5>, Linear<6>>, Chain<Input<9>, Linear<6>, Dropout<0.2>, ReLU, Dropout<0.7>>,
    Chain<Input<5, 3, 4>, Conv2d<4, 2>, Dropout<0.4>, Tanh>,
    Chain<Input<5, 3, 4>, Dropout2d<0.4>, Conv2d<8, 2>, Dropout2d<0.5>, Tanh>, Chain<Input<4>, Dropout<0.0>, Linear<3>>,
    Chain<Input<4>, Linear<3>, Dropout<1.0>>,
    Chain<Input<3, 8, 6>, Conv2d<6, 3>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Flatten, Linear<3>>>;

/// Values with several readers: gradients come together from one stage or from many, in any order.
using Residuals = TypeList<  //
    Chain<Input<5>, Residual<Path<Linear<7>, Tanh, Linear<5>>>, ReLU, Linear<3>>,
    Chain<Input<6>, Linear<4>, Residual<Path<Tanh>, Shortcut<Linear<4>, Sigmoid>>, Linear<2>>,
    Chain<Input<4>, Residual<Path<>>, Linear<3>, Residual<Path<>>, Tanh>,  // x + x
    Chain<Input<2, 6, 5>, Residual<Path<Conv2d<2, 3, Padding<1>>, ReLU, Conv2d<2, 3, Padding<1>>>>, ReLU, Flatten,
          Linear<3>>,
    Chain<Input<2, 7, 6>, Conv2d<3, 3, Padding<1>>, ReLU,
          Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>>, Tanh, Conv2d<4, 3, Padding<1>>>,
                   Shortcut<Conv2d<4, 1, Stride<2>>>>,
          ReLU, Residual<Path<Conv2d<4, 3, Padding<1>>, Tanh, Dropout<0.3>>>, Tanh>,
    // The path's own sum is read by an add alone, which hands its gradient on before the shortcut is reached.
    Chain<Input<2, 5, 6>, Conv2d<3, 3>, Tanh,
          Residual<Path<Residual<Path<Conv2d<3, 3, Padding<1>>>>>, Shortcut<Conv2d<3, 1>, Tanh, Conv2d<3, 1>>>>,
    Chain<Input<2, 8, 6>, Conv2d<3, 3, Padding<1>>, Tanh, Residual<Path<Conv2d<3, 1>>>, MaxPool2d<2>, ReLU>,
    Chain<Input<2, 8, 6>, Residual<Path<Conv2d<2, 3, Padding<1>>, ReLU, Dropout2d<0.5>>>, AvgPool2d<2>, Flatten,
          Softmax>,
    Chain<Input<2, 8, 7>, Tanh, Residual<Path<MaxPool2d<3, Stride<1>, Padding<1>>>, Shortcut<Tanh>>,
          Conv2d<2, 3, Padding<1>>>>;

using Concats = TypeList<  //
    Chain<Input<5>, Concat<Path<>, Path<Linear<3>, Tanh>>, Linear<4>>,
    Chain<Input<5>, Linear<4>, Concat<Path<Tanh>, Path<>, Path<Linear<3>>, Path<ReLU>>, ReLU, Dropout<0.4>, Linear<2>>,
    Chain<Input<2, 6, 5>, Conv2d<3, 3, Padding<1>>, ReLU,
          Concat<Path<>, Path<Conv2d<2, 3, Padding<1>>, Tanh>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>>, Tanh,
          Conv2d<2, 2>>,
    // A value with a edge for one reader that another takes as a row.
    Chain<Input<2, 4, 5>, Conv2d<2, 2>, Tanh,
          Concat<Path<Flatten, Linear<5>>, Path<Conv2d<3, 3, Padding<1>>, Flatten>, Path<Flatten, Softmax>,
                 Path<Flatten>>,
          Linear<3>>,
    Chain<Input<2, 6, 6>, Concat<Path<>, Path<>>, Conv2d<3, 3>, Concat<Path<>, Path<>>>,  // one value twice
    Chain<Input<1, 6, 6>, Conv2d<2, 3, Padding<1>>, Tanh,
          Concat<Path<Residual<Path<Conv2d<2, 3, Padding<1>>>>>, Path<Concat<Path<Tanh>, Path<>>>>,
          Residual<Path<Tanh, Conv2d<6, 1>>>, MaxPool2d<2>>>;

/// Values of the batch: every row of it takes part in every gradient. No bias before them: its gradient is 0.
using BatchNorms = TypeList<  //
    Chain<Input<5>, BatchNorm1d<>, Linear<3>>, Chain<Input<5>, Linear<4, NoBias>, BatchNorm1d<NoAffine>, Tanh>,
    Chain<Input<7>, Linear<6, NoBias>, BatchNorm1d<Epsilon<1e-2>>, Tanh, Linear<5, NoBias>, BatchNorm1d<>, Sigmoid,
          Linear<2>>,
    Chain<Input<2, 6, 5>, Conv2d<3, 3, NoBias>, BatchNorm2d<>, Tanh, Conv2d<4, 2, NoBias>, BatchNorm2d<>, AvgPool2d<2>>,
    Chain<Input<2, 6, 5>, BatchNorm2d<>, Conv2d<3, 3, Padding<1>>, Tanh, Dropout<0.3>, BatchNorm2d<>, Flatten,
          Linear<4>, LogSoftmax>,
    Chain<Input<2, 7, 6>, Conv2d<3, 3, Padding<1>, NoBias>, BatchNorm2d<>, Tanh,
          Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, Tanh,
                        Conv2d<4, 3, Padding<1>, NoBias>, BatchNorm2d<>>,
                   Shortcut<Conv2d<4, 1, Stride<2>, NoBias>, BatchNorm2d<>>>,
          Tanh, Residual<Path<Conv2d<4, 3, Padding<1>, NoBias>, BatchNorm2d<>, Sigmoid>>, Flatten, Linear<3>>,
    Chain<Input<1, 6, 6>,
          Concat<Path<BatchNorm2d<NoAffine>>, Path<Conv2d<2, 3, Padding<1>, NoBias>, BatchNorm2d<NoAffine>, Tanh>>,
          MaxPool2d<2>, BatchNorm2d<>>>;

/// Statistics of a sample: of all of it, of groups of its channels and of each of these.
using GroupNorms = TypeList<  //
    Chain<Input<5>, LayerNorm<>, Linear<3>>, Chain<Input<7>, Linear<13>, LayerNorm<NoBias>, Tanh, Dropout<0.3>>,
    Chain<Input<6>, Linear<35, NoBias>, GroupNorm<5, Epsilon<1e-2>>, Linear<2>>,
    Chain<Input<3, 4, 11>, LayerNorm<>, Conv2d<4, 3, Padding<1>>, GroupNorm<2>, Tanh, AvgPool2d<2>>,
    Chain<Input<2, 6, 5>, Conv2d<6, 3>, GroupNorm<3, NoAffine>, ReLU, MaxPool2d<2>, Flatten, LayerNorm<NoAffine>,
          Linear<3>, LogSoftmax>,
    Chain<Input<2, 6, 5>, Conv2d<3, 3, Padding<1>, NoBias>, InstanceNorm2d<>, Dropout2d<0.4>, GroupNorm<0>,
          Conv2d<2, 3, Padding<1>>, LayerNorm<Epsilon<1e-3>>>,
    Chain<Input<4, 5, 3>, Residual<Path<GroupNorm<2>, Tanh, Conv2d<4, 3, Padding<1>>>>, GroupNorm<1>,
          Concat<Path<InstanceNorm2d<Epsilon<1e-3>>>, Path<>>, Flatten, Linear<4>>,
    Chain<Input<4, 9>, GroupNorm<2>, Tanh, LayerNorm<>, InstanceNorm1d<Epsilon<1e-2>>>>;

/// LeNet, smaller: every kind of op.
using EveryOp =
    Sequential<Input<2, 13, 12>, Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Groups<2>>, Dropout2d<0.5>,
               AvgPool2d<2>, Tanh, Flatten, Linear<7>, Sigmoid, Dropout<0.3>, Linear<5>, LogSoftmax>;

using Whole = TypeList<Case<EveryOp, NLLLoss>, Case<Sequential<Input<3, 8, 11>, Conv2d<4, 3>, ReLU, Conv2d<5, 3>, ReLU,
                                                               MaxPool2d<2>, Flatten, Linear<6>, ReLU, Linear<3>>,
                                                    CrossEntropyLoss>>;

using sinter_test::W1;
}  // namespace networks

/// Checks the gradients that an engine gives, at several batches.
void check_gradients(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                     std::initializer_list<std::size_t> batches, std::size_t most);
/// Those of the engines `make.template make<Model, double>()`.
template <class Make, class... Cases>
void check_gradients(const Make& make, sinter::internal::TypeList<Cases...>,
                     std::initializer_list<std::size_t> batches = {1, 7}, std::size_t most = 40) {
  const auto check = [&]<class Model, class Loss>(Case<Model, Loss>) {
    auto engine = make.template make<Model, double>();
    sinter::internal::ReferenceEngine<Model, double> reference;
    check_gradients(any_model<Model>(), any_engine<double>(reference, Loss{}), any_engine<double>(engine, Loss{}),
                    batches, most);
  };
  (check(Cases{}), ...);
}

}  // namespace sinter_test
