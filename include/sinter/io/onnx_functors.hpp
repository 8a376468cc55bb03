// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "sinter/fn/absolute.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/exp.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardsigmoid.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/hardtanh.hpp"
#include "sinter/fn/identity.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/log.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/negation.hpp"
#include "sinter/fn/negative_part.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/softplus.hpp"
#include "sinter/fn/square.hpp"
#include "sinter/fn/square_root.hpp"
#include "sinter/fn/tanh.hpp"

SINTER_NAMESPACE_BEGIN

/// What an activation is in ONNX: an operator there, with its attribute, or, where there is none in every version that
/// is around, what it is composed of (see OnnxGraph::functor).
struct OnnxFunctor {
  std::string_view name{};  // empty: it has no counterpart
  double parameter = 0;
  double threshold = 0;  // above which "beta softplus" gives x
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::OnnxFunctor;

/// What the functor F is in ONNX. Specialise it for one of your own. (C++ forbids this through a using-declaration, so
/// it is declared here.)
template <class F>
inline constexpr OnnxFunctor onnx_functor{};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Identity>{"Identity"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Relu>{"Relu"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Negation>{"Neg"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::NegativePart>{"min 0"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Tanh>{"Tanh"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Sigmoid>{"Sigmoid"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Hardswish>{"HardSwish"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Exp>{"Exp"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Log>{"Log"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Sqrt>{"Sqrt"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Abs>{"Abs"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Square>{"x x"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Hardsigmoid>{"HardSigmoid", 1. / 6};
template <double low, double high>
inline constexpr OnnxFunctor onnx_functor<fn::Hardtanh<low, high>>{"low high", low, high};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Softmax>{"Softmax"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::LogSoftmax>{"LogSoftmax"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Silu>{"x sigmoid"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::Gelu>{"x erf"};
template <>
inline constexpr OnnxFunctor onnx_functor<fn::GeluTanh>{"x tanh"};
template <double alpha>
inline constexpr OnnxFunctor onnx_functor<fn::Elu<alpha>>{"Elu", alpha};
template <double slope>
inline constexpr OnnxFunctor onnx_functor<fn::LeakyRelu<slope>>{"LeakyRelu", slope};
template <double beta, double threshold>
inline constexpr OnnxFunctor onnx_functor<fn::Softplus<beta, threshold>>{"beta softplus", beta, threshold};

}  // namespace sinter
