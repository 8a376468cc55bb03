// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/fn/absolute.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/exp.hpp"
#include "sinter/fn/functor_checks.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardsigmoid.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/hardtanh.hpp"
#include "sinter/fn/identity.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/log.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/softplus.hpp"
#include "sinter/fn/square.hpp"
#include "sinter/fn/square_root.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/row.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x), element by element, for any functor F with `forward` and `backward` (see fn/relu.hpp): a new activation
/// is one functor, and fuses on every device in both directions.
template <class F>
struct Activation {
  static constexpr const char* name = fn::name_of<F>;
  using Needs = needs::any_shape;
  using Ops = OpList<Map<std::conditional_t<detail::IsFunctor<F>, F, fn::Identity>>>;  // one message at a time
  static constexpr bool accepts(Dims) { return true; }

 private:  // checked last: clang reads no further in a class that it refuses
  static constexpr bool forward = detail::ForwardsNumber<F>, backward = !forward || detail::GoesBackNumber<F>,
                        says_what_it_reads = !(forward && backward) || detail::SaysWhatItReads<F>;
  static_assert(forward,
                "sinter: the functor of an activation has no static forward(x) that makes a number of a number");
  static_assert(backward,
                "sinter: the functor of an activation has no static backward(saved, dy) that makes a number of two");
  static_assert(says_what_it_reads,
                "sinter: the functor of an activation says which number its backward gets: static constexpr bool "
                "backward_reads_output = true for the output, false for the input");
};
/// max(x, 0).
using ReLU = Activation<fn::Relu>;
/// tanh(x).
using Tanh = Activation<fn::Tanh>;
/// 1 / (1 + e^-x).
using Sigmoid = Activation<fn::Sigmoid>;
/// x Phi(x), with the distribution function Phi of N(0, 1).
using GELU = Activation<fn::Gelu>;
/// GELU approximated by tanh, as PyTorch's approximate="tanh".
using GELUTanh = Activation<fn::GeluTanh>;
/// x sigmoid(x).
using SiLU = Activation<fn::Silu>;
/// x min(max(x + 3, 0), 6) / 6.
using Hardswish = Activation<fn::Hardswish>;
/// min(max(x + 3, 0), 6) / 6.
using Hardsigmoid = Activation<fn::Hardsigmoid>;
/// min(max(x, low), high).
template <double low = -1.0, double high = 1.0>
using Hardtanh = Activation<fn::Hardtanh<low, high>>;
/// min(max(x, 0), 6).
using ReLU6 = Hardtanh<0.0, 6.0>;
/// x where it is positive, else negative_slope x.
template <double negative_slope = 0.01>
using LeakyReLU = Activation<fn::LeakyRelu<negative_slope>>;
/// x where it is positive, else alpha (e^x - 1).
template <double alpha = 1.0>
using ELU = Activation<fn::Elu<alpha>>;
/// log(1 + e^(beta x)) / beta, and x where beta x is above the threshold.
template <double beta = 1.0, double threshold = 20.0>
using Softplus = Activation<fn::Softplus<beta, threshold>>;

/// y = F(x) over the features of a row.   x [B, N]  y [B, N]
template <class F>
struct RowActivation {
  static constexpr const char* name = fn::name_of<F>;
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<Row<std::conditional_t<detail::IsRowFunctor<F>, F, fn::Softmax>>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }

 private:  // checked last: clang reads no further in a class that it refuses
  static constexpr bool forward = detail::ForwardsRow<F>, backward = !forward || detail::GoesBackRow<F>;
  static_assert(
      forward,
      "sinter: the functor of a RowActivation has no static forward(const V* x, V* y, int n), a template over V");
  static_assert(backward,
                "sinter: the functor of a RowActivation has no static backward(const V* y, V* dy, int n), a template "
                "over V that makes dx of dy in place");
};
/// e^x / sum e^x over the row.
using Softmax = RowActivation<fn::Softmax>;
/// x - log sum e^x over the row.
using LogSoftmax = RowActivation<fn::LogSoftmax>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Activation;
using internal::ELU;
using internal::GELU;
using internal::GELUTanh;
using internal::Hardsigmoid;
using internal::Hardswish;
using internal::Hardtanh;
using internal::LeakyReLU;
using internal::LogSoftmax;
using internal::ReLU;
using internal::ReLU6;
using internal::RowActivation;
using internal::Sigmoid;
using internal::SiLU;
using internal::Softmax;
using internal::Softplus;
using internal::Tanh;
}  // namespace sinter
