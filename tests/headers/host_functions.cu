// SPDX-License-Identifier: MIT
// A functor, a functor of rows, a loss, a schedule and an optimizer without SINTER_FN or SINTER_HOST_DEVICE, by
// SINTER_CASE, which nvcc refuses. What is before their functions, constexpr or nothing, is SINTER_BEFORE.
#include "sinter/sinter.cuh"

using namespace sinter;

struct TwiceFunction {
  static constexpr bool backward_reads_output = false;
  SINTER_BEFORE static double forward(double x) { return 2 * x; }
  SINTER_BEFORE static double backward(double, double dy) { return 2 * dy; }
};
struct HalvesFunction {
  template <class V>
  SINTER_BEFORE static void forward(const V* x, V* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = x[i] * V(0.5);
  }
  template <class V>
  SINTER_BEFORE static void backward(const V*, V* dy, int n) {
    for (int i = 0; i < n; ++i) dy[i] = dy[i] * V(0.5);
  }
};
struct SquaresLoss {
  using Target = RowTarget;
  template <class V>
  SINTER_BEFORE V forward(const V* y, int n, const V* target) const {
    V sum(0);
    for (int i = 0; i < n; ++i) sum += (y[i] - target[i]) * (y[i] - target[i]);
    return sum;
  }
  template <class V>
  SINTER_BEFORE void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale * V(2) * (y[i] - target[i]);
  }
};
struct HalvesSchedule {
  static constexpr bool anywhere = true;
  SINTER_BEFORE double operator()(double lr, long t) const { return t % 2 == 0 ? lr : lr / 2; }
  void check() const {}
};
/// Its update is fit for a GPU, its `at` is not.
struct SlowerOptimizer {
  double lr = 0.1;
  static constexpr const char* name = "SlowerOptimizer";
  static constexpr int states = 1;
  static constexpr bool anywhere = true;
  template <class T>
  struct Update {
    using Number = T;
    T rate;
    template <class V>
    SINTER_FN void operator()(V& weight, V gradient, V*) const {
      weight = weight - V(rate) * gradient;
    }
  };
  template <class T>
  SINTER_BEFORE Update<T> at(long step) const {
    return {static_cast<T>(lr / static_cast<double>(step + 1))};
  }
  void check() const {}
};

#if SINTER_CASE == 0
struct Net : Sequential<Input<2>, Linear<4>, Activation<TwiceFunction>, Linear<2>> {};
#elif SINTER_CASE == 1
struct Net : Sequential<Input<2>, Linear<4>, RowActivation<HalvesFunction>, Linear<2>> {};
#else
struct Net : Sequential<Input<2>, Linear<2>> {};
#endif

template <class Optimizer>
void train(const Optimizer& optimizer) {
  Network<Net, Cuda> net;
  const Tensor<float, Shape<2>> x(1), y(1);
  Trainer trainer{net, MSELoss{}, optimizer};
  trainer.step(x, y);
}

int main() {
  [[maybe_unused]] Network<Net> averaged;
#if SINTER_CASE < 2
  Network<Net, Cuda> net;
  Tensor<float, Shape<2>> x(1);
  auto workspace = net.workspace(1);
  (void)net.forward(x, workspace);
#elif SINTER_CASE == 2
  Network<Net, Cuda> net;
  Tensor<float, Shape<2>> x(1);
  (void)evaluate(net, dataset(x, x), SquaresLoss{});
#elif SINTER_CASE == 3
  train(per_step(SGD{}, HalvesSchedule{}));
#elif SINTER_CASE == 4
  train(per_step(SGD{}, WarmUp{2, HalvesSchedule{}}));
#elif SINTER_CASE == 5
  train(SlowerOptimizer{});
#elif SINTER_CASE == 6
  train(clip_grad_value(SlowerOptimizer{}, 1));
#elif SINTER_CASE == 7
  train(moving_average(SlowerOptimizer{}, averaged));
#else
  train(per_step(SlowerOptimizer{}, StepLR{}));
#endif
}
