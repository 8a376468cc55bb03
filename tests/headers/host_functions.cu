// SPDX-License-Identifier: MIT
// A functor, a functor of rows or a loss without SINTER_FN, by SINTER_CASE 0, 1, 2, which nvcc refuses.
#include <cmath>

#include "sinter/sinter.cuh"

using namespace sinter;

#if SINTER_CASE == 0
struct SineFunction {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return std::sin(x); }
  static double backward(double x, double dy) { return dy * std::cos(x); }
};
struct Net : Sequential<Input<2>, Linear<4>, Activation<SineFunction>, Linear<2>> {};
#elif SINTER_CASE == 1
struct HalvesFunction {
  template <class V>
  static void forward(const V* x, V* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = x[i] * V(0.5);
  }
  template <class V>
  static void backward(const V*, V* dy, int n) {
    for (int i = 0; i < n; ++i) dy[i] = dy[i] * V(0.5);
  }
};
struct Net : Sequential<Input<2>, Linear<4>, RowActivation<HalvesFunction>, Linear<2>> {};
#else
struct Net : Sequential<Input<2>, Linear<2>> {};
struct SquaresLoss {
  using Target = RowTarget;
  template <class V>
  V forward(const V* y, int n, const V* target) const {
    V sum(0);
    for (int i = 0; i < n; ++i) sum += (y[i] - target[i]) * (y[i] - target[i]);
    return sum;
  }
  template <class V>
  void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale * V(2) * (y[i] - target[i]);
  }
};
#endif

int main() {
  Network<Net, Cuda> net;
  Tensor<float, Shape<2>> x(1);
#if SINTER_CASE == 2
  (void)evaluate(net, dataset(x, x), SquaresLoss{});
#else
  auto workspace = net.workspace(1);
  (void)net.forward(x, workspace);
#endif
}
