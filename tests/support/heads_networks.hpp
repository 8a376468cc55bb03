// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/heads.hpp"
#include "sinter/layers/mean.hpp"
#include "sinter/layers/positionwise_linear.hpp"
#include "sinter/train/heads.hpp"
#include "sinter/train/per_position.hpp"
#include "support/more_networks.hpp"

/// Small networks with several outputs.
namespace sinter_test::networks {

/// The losses of a network's heads, whose classes are drawn as the tests draw numbers: evenly from [-1, 1).
template <class Model, class... Losses>
struct OfHeads {
  using Target = RowTarget;
  static constexpr const char* name = "OfHeads";
  decltype(head_losses<Model>(Losses{}...)) losses = head_losses<Model>((0.75 * Losses{})...);

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* drawn) const {
    V target[decltype(losses)::target_size];
    to_targets(drawn, target);
    return losses.forward(y, n, static_cast<const V*>(target));
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* drawn, V scale, V* dy) const {
    V target[decltype(losses)::target_size];
    to_targets(drawn, target);
    losses.backward(y, n, static_cast<const V*>(target), scale, dy);
  }

 private:
  template <class V, class... Heads>
  SINTER_FN static void convert(const HeadLosses<Heads...>&, const V* drawn, V* target) {
    (convert_one<Heads>(drawn, target), ...);
  }
  template <class Head, class V>
  SINTER_FN static void convert_one(const V* drawn, V* target) {
    for (int i = 0; i < Head::target_size; ++i) {
      const V one = drawn[Head::wanted + i];
      V label = Head::class_count > 0 ? V(0) : one;
      for (int k = 1; k < Head::class_count; ++k)
        label += fn::select(one < fn::constant<V>(2.0 * k / Head::class_count - 1), V(0), V(1));
      target[Head::wanted + i] = label;
    }
  }
  template <class V>
  SINTER_FN void to_targets(const V* drawn, V* target) const {
    convert(losses, drawn, target);
  }
};

template <class Model, int Head>
using AtPixels = decltype(at_each_pixel<Model, Head>(CrossEntropyLoss{}));
template <class Model, int Head>
using AtSteps = decltype(at_each_step<Model, Head>(CrossEntropyLoss{}));

using TwoHeads = Sequential<Input<5>, Linear<7>, Tanh, Heads<Path<Linear<4>>, Path<Linear<6>, ReLU, Linear<3>>>>;
using FourHeads =
    Sequential<Input<3>, Heads<Path<Linear<2>, LogSoftmax>, Path<>, Path<Linear<3>, Tanh>, Path<Linear<1>>>>;
using HeadsOfImage = Sequential<Input<2, 6, 5>, Conv2d<3, 3, Padding<1>>, ReLU, MaxPool2d<2>,
                                Heads<Path<Flatten, Linear<3>>, Path<Conv2d<2, 2>, Flatten, Tanh>>>;
/// They end in images and a series, and in a value that another head reads on.
using HeadsOfImages =
    Sequential<Input<2, 5, 6>, Conv2d<3, 3, Padding<1>>, Tanh,
               Heads<Path<Conv2d<4, 1>>, Path<Mean<2>>, Path<>, Path<AdaptiveAvgPool2d<1>, Flatten, Linear<3>>>>;
using HeadsOfSteps = Sequential<Input<4, 3>, PositionwiseLinear<5>, Tanh,
                                Heads<Path<Flatten, Linear<2>>, Path<PositionwiseLinear<3>, Sigmoid>>>;
/// More than one op puts together: 4 of them, 3 more, and the last.
using EightHeads = Sequential<Input<3>, Linear<4>, Tanh,
                              Heads<Path<Linear<1>>, Path<Linear<2>>, Path<Tanh>, Path<Linear<1>>, Path<Linear<3>>,
                                    Path<>, Path<Linear<2>>, Path<Sigmoid>>>;
using SeveralHeads = TypeList<  //
    Case<EightHeads>, Case<TwoHeads, OfHeads<TwoHeads, CrossEntropyLoss, MSELoss>>,
    Case<FourHeads, OfHeads<FourHeads, NLLLoss, HuberLoss, MSELoss, BCEWithLogitsLoss>>,
    Case<HeadsOfImage, OfHeads<HeadsOfImage, CrossEntropyLoss, SmoothL1Loss>>,
    Case<HeadsOfImages, OfHeads<HeadsOfImages, AtPixels<HeadsOfImages, 0>, MSELoss, HuberLoss, CrossEntropyLoss>>,
    Case<HeadsOfSteps, OfHeads<HeadsOfSteps, MSELoss, AtSteps<HeadsOfSteps, 1>>>>;

}  // namespace sinter_test::networks
