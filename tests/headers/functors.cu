// SPDX-License-Identifier: MIT
// Every functor on float and double in one kernel, compared with the host.
#include <cstdio>

#include "sinter/core/random.hpp"
#include "sinter/fn/absolute.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/exp.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardsigmoid.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/hardtanh.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/log.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/negation.hpp"
#include "sinter/fn/pow.hpp"
#include "sinter/fn/reciprocal.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/softplus.hpp"
#include "sinter/fn/square.hpp"
#include "sinter/fn/square_root.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/per_position.hpp"
#include "sinter/loss/smooth_l1.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/optimizer/adagrad.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/moving_average.hpp"
#include "sinter/optimizer/rmsprop.hpp"
#include "sinter/optimizer/sgd.hpp"

namespace {

constexpr int n = 5, results = 320;

template <class F, class T>
SINTER_FN void leaf(T x, T*& out) {
  const T y = sinter::fn::forward<F>(x);
  *out++ = y;
  *out++ = sinter::fn::backward<F>(F::backward_reads_output ? y : x, T(0.7));
}
template <class F, class T>
SINTER_FN void row(const T* x, T*& out) {
  T y[n], dy[n];
  F::forward(x, y, n);
  for (int i = 0; i < n; ++i) dy[i] = T(i) - T(1.5);
  F::backward(y, dy, n);
  for (int i = 0; i < n; ++i) *out++ = y[i];
  for (int i = 0; i < n; ++i) *out++ = dy[i];
}
template <class Loss, class T, class Target>
SINTER_FN void loss(const Loss& given, const T* x, Target target, T*& out) {
  *out++ = given.forward(x, n, target);
  T dy[n];
  given.backward(x, n, target, T(0.25), dy);
  for (int i = 0; i < n; ++i) *out++ = dy[i];
}
template <class T, class Update>
SINTER_FN void optimizer(const Update& update, T*& out) {
  T weight = T(0.5), state[3] = {T(0.1), T(0.2), T(0.3)};
  update(weight, T(0.3), state);
  *out++ = weight;
  for (const T s : state) *out++ = s;
}

struct Losses {
  sinter::NLLLoss nll;
  sinter::CrossEntropyLoss cross_entropy, smooth{.label_smoothing = 0.1};
  sinter::WeightedCrossEntropyLoss<n> weighted{.weight = {1, 2, 0.5, 3, 1}, .label_smoothing = 0.1};
  sinter::MSELoss mse;
  sinter::L1Loss l1;
  sinter::SmoothL1Loss smooth_l1;
  sinter::HuberLoss huber;
  sinter::BCEWithLogitsLoss bce;
  sinter::KLDivLoss kl{.log_target = true};
  template <sinter::ClassOrder Order>
  using OfPosition = sinter::PerPosition<sinter::Shape<1>, n, Order, sinter::CrossEntropyLoss>;
  OfPosition<sinter::ClassOrder::classes_last> step;
  OfPosition<sinter::ClassOrder::classes_first> pixel;
};
struct Net {};
template <class T>
struct Updates {
  template <class Optimizer>
  using Of = typename Optimizer::template Update<T>;
  Of<sinter::SGD> sgd;
  Of<sinter::Adam> adam;
  Of<sinter::AdamW> adamw;
  Of<sinter::RMSprop> rmsprop;
  Of<sinter::Adagrad> adagrad;
  Of<sinter::Lion> lion;
  Of<sinter::ClipGradValue<sinter::SGD>> clipped;
  Of<sinter::MovingAverage<sinter::Adam, Net>> averaged;
};

template <class T>
SINTER_FN void everything(const T* x, const Losses& losses, const Updates<T>& updates, T* out) {
  leaf<sinter::fn::Relu>(x[1], out);
  leaf<sinter::fn::Tanh>(x[1], out);
  leaf<sinter::fn::Sigmoid>(x[1], out);
  for (int i = 0; i < n; ++i) {
    leaf<sinter::fn::LeakyRelu<0.01>>(x[i], out);
    leaf<sinter::fn::Elu<1.0>>(x[i], out);
    leaf<sinter::fn::Gelu>(x[i], out);
    leaf<sinter::fn::GeluTanh>(x[i], out);
    leaf<sinter::fn::Silu>(x[i], out);
    leaf<sinter::fn::Softplus<1.0, 20.0>>(x[i], out);
    leaf<sinter::fn::Hardswish>(x[i], out);
    leaf<sinter::fn::Hardsigmoid>(x[i], out);
    leaf<sinter::fn::Hardtanh<-1.0, 1.0>>(x[i], out);
    leaf<sinter::fn::Exp>(x[i], out);
    leaf<sinter::fn::Log>(x[i], out);
    leaf<sinter::fn::Sqrt>(x[i], out);
    leaf<sinter::fn::Square>(x[i], out);
    leaf<sinter::fn::Abs>(x[i], out);
    leaf<sinter::fn::Negation>(x[i], out);
    leaf<sinter::fn::Reciprocal>(x[i], out);
    leaf<sinter::fn::Pow<3.0>>(x[i], out);
    leaf<sinter::fn::Pow<-1.7>>(x[i], out);
  }
  row<sinter::fn::Softmax>(x, out);
  row<sinter::fn::LogSoftmax>(x, out);
  loss(losses.nll, x, T(3), out);
  loss(losses.cross_entropy, x, T(3), out);
  loss(losses.smooth, x, T(3), out);
  loss(losses.weighted, x, T(3), out);
  loss(losses.mse, x, x + 1, out);
  loss(losses.l1, x, x + 1, out);
  loss(losses.smooth_l1, x, x + 1, out);
  loss(losses.huber, x, x + 1, out);
  loss(losses.bce, x, x + 1, out);
  loss(losses.kl, x, x + 1, out);
  const T label = T(3);
  loss(losses.step, x, &label, out);
  loss(losses.pixel, x, &label, out);
  optimizer(updates.sgd, out);
  optimizer(updates.adam, out);
  optimizer(updates.adamw, out);
  optimizer(updates.rmsprop, out);
  optimizer(updates.adagrad, out);
  optimizer(updates.lion, out);
  optimizer(updates.clipped, out);
  optimizer(updates.averaged, out);
  const auto random = sinter::internal::philox(sinter::internal::Words<std::uint32_t>{{1, 2, 3, 4}}, 5);
  for (const std::uint32_t word : random.word) *out++ = sinter::internal::uniform<T>(word);
}

template <class T>
__global__ void kernel(const T* x, Losses losses, Updates<T> updates, T* out) {
  everything(x, losses, updates, out);
}

/// How many results differ by more than a few units in the last place; -1 where the device fails.
template <class T>
int differences(T tolerance) {
  const T x[n + 1] = {T(0.5), T(-1.25), T(2), T(0.125), T(-3), T(1)};
  const sinter::SGD sgd{.lr = 0.1, .momentum = 0.9, .nesterov = true};
  const sinter::Adam adam{.lr = 0.1};
  const sinter::RMSprop rmsprop{.lr = 0.1, .momentum = 0.5, .centered = true};
  Net net;
  const Losses losses{};
  const Updates<T> updates{sgd.at<T>(1),
                           adam.at<T>(1),
                           sinter::AdamW{.lr = 0.1}.at<T>(1),
                           rmsprop.at<T>(1),
                           sinter::Adagrad{.lr = 0.1}.at<T>(1),
                           sinter::Lion{.lr = 0.1}.at<T>(1),
                           sinter::clip_grad_value(sgd, 0.2).template at<T>(1),
                           sinter::moving_average(adam, net, 0.9).template at<T>(1)};
  T host[results] = {}, back[results] = {};
  everything(x, losses, updates, host);
  T *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, sizeof x) != cudaSuccess || cudaMalloc(&out, sizeof back) != cudaSuccess) return -1;
  cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof back);
  kernel<<<1, 1>>>(in, losses, updates, out);
  if (cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
  int count = 0;
  for (int i = 0; i < results; ++i) {
    const T difference = back[i] - host[i];
    const bool near = difference <= tolerance && -difference <= tolerance;
    if (!near) std::printf("result %d: device %.17g, host %.17g\n", i, double(back[i]), double(host[i]));
    count += near ? 0 : 1;
  }
  cudaFree(in);
  cudaFree(out);
  return count;
}

}  // namespace

/// How many results differ from the host's; -1 where the device fails.
int functors_differ();
int functors_differ() {
  const int in_float = differences<float>(1e-6f), in_double = differences<double>(2e-15);
  return in_float < 0 || in_double < 0 ? -1 : in_float + in_double;
}
