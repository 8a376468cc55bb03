// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/absolute.hpp"
#include "sinter/fn/celu.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/exp.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardsigmoid.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/hardtanh.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/log.hpp"
#include "sinter/fn/log_sigmoid.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/mish.hpp"
#include "sinter/fn/pow.hpp"
#include "sinter/fn/reciprocal.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/selu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/softplus.hpp"
#include "sinter/fn/softsign.hpp"
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
  using Ops = OpList<Map<F>>;
  static constexpr bool accepts(Dims) { return true; }
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
/// x where it is positive, else alpha (e^(x / alpha) - 1).
template <double alpha = 1.0>
using CELU = Activation<fn::Celu<alpha>>;
/// ELU with two constants by which deep networks keep a mean of 0 and a variance of 1.
using SELU = Activation<fn::Selu>;
/// x tanh(log(1 + e^x)).
using Mish = Activation<fn::Mish>;
/// x / (1 + |x|).
using Softsign = Activation<fn::Softsign>;
/// log(sigmoid(x)).
using LogSigmoid = Activation<fn::LogSigmoid>;

/// y = F(x) over the features of a row.   x [B, N]  y [B, N]
template <class F>
struct RowActivation {
  static constexpr const char* name = fn::name_of<F>;
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<Row<F>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }
};
/// e^x / sum e^x over the row.
using Softmax = RowActivation<fn::Softmax>;
/// x - log sum e^x over the row.
using LogSoftmax = RowActivation<fn::LogSoftmax>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Activation;
using internal::CELU;
using internal::ELU;
using internal::GELU;
using internal::GELUTanh;
using internal::Hardsigmoid;
using internal::Hardswish;
using internal::Hardtanh;
using internal::LeakyReLU;
using internal::LogSigmoid;
using internal::LogSoftmax;
using internal::Mish;
using internal::ReLU;
using internal::ReLU6;
using internal::RowActivation;
using internal::SELU;
using internal::Sigmoid;
using internal::SiLU;
using internal::Softmax;
using internal::Softplus;
using internal::Softsign;
using internal::Tanh;
}  // namespace sinter
