// SPDX-License-Identifier: MIT
// Every functor on float and double in one kernel, compared with the host.
#include <cstdio>

#include "sinter/core/random.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"

namespace {

constexpr int n = 5, results = 64;

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
SINTER_FN void loss(const T* x, Target target, T*& out) {
  *out++ = Loss{}.forward(x, n, target);
  T dy[n];
  Loss{}.backward(x, n, target, T(0.25), dy);
  for (int i = 0; i < n; ++i) *out++ = dy[i];
}
template <class T, class Update>
SINTER_FN void optimizer(const Update& update, T*& out) {
  T weight = T(0.5), state[2] = {T(0.1), T(0.2)};
  update(weight, T(0.3), state);
  *out++ = weight;
}
template <class T, class Sgd, class Adam>
SINTER_FN void everything(const T* x, const Sgd& sgd, const Adam& adam, T* out) {
  leaf<sinter::fn::Relu>(x[1], out);
  leaf<sinter::fn::Tanh>(x[1], out);
  leaf<sinter::fn::Sigmoid>(x[1], out);
  row<sinter::fn::Softmax>(x, out);
  row<sinter::fn::LogSoftmax>(x, out);
  loss<sinter::NLLLoss>(x, T(3), out);
  loss<sinter::CrossEntropyLoss>(x, T(3), out);
  loss<sinter::MSELoss>(x, x + 1, out);
  optimizer(sgd, out);
  optimizer(adam, out);
  const auto random = sinter::philox(sinter::Words<std::uint32_t>{{1, 2, 3, 4}}, 5);
  for (const std::uint32_t word : random.word) *out++ = sinter::uniform<T>(word);
}

template <class T, class Sgd, class Adam>
__global__ void kernel(const T* x, Sgd sgd, Adam adam, T* out) {
  everything(x, sgd, adam, out);
}

/// How many results differ by more than a few units in the last place; -1 where the device fails.
template <class T>
int differences(T tolerance) {
  const T x[n + 1] = {T(0.5), T(-1.25), T(2), T(0.125), T(-3), T(1)};
  const auto sgd = sinter::SGD{.lr = 0.1, .momentum = 0.9, .nesterov = true}.at<T>(1);
  const auto adam = sinter::Adam{.lr = 0.1}.at<T>(1);
  T host[results] = {}, back[results] = {};
  everything(x, sgd, adam, host);
  T *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, sizeof x) != cudaSuccess || cudaMalloc(&out, sizeof back) != cudaSuccess) return -1;
  cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof back);
  kernel<<<1, 1>>>(in, sgd, adam, out);
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
