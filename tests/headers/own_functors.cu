// SPDX-License-Identifier: MIT
// Functors without a `name`, which have that of their struct, in training and in inference on a GPU. Schedules and
// optimizers that compute their steps on the host alone, and anywhere.
#include <vector>

#include "sinter/sinter.cuh"

using namespace sinter;

struct Square {
  static constexpr bool backward_reads_output = false;
  template <class V>
  SINTER_FN static V forward(V x) {
    return x * x;
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    return dy * V(2) * x;
  }
};
struct Halves {
  template <class V>
  SINTER_FN static void forward(const V* x, V* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = x[i] * V(0.5f);
  }
  template <class V>
  SINTER_FN static void backward(const V*, V* dy, int n) {
    for (int i = 0; i < n; ++i) dy[i] = dy[i] * V(0.5f);
  }
};
struct Net : Sequential<Input<1, 8, 8>, Conv2d<4, 3>, Activation<Square>, MaxPool2d<2>, Flatten, RowActivation<Halves>,
                        Linear<4>, Activation<Square>, Linear<2>> {};

struct HostSchedule {
  double operator()(double lr, long t) const { return t % 2 == 0 ? lr : lr / 2; }
  void check() const {}
};
struct Schedule : HostSchedule {
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const { return t % 2 == 0 ? lr : lr / 2; }
};
struct HostOptimizer {
  double lr = 0.1;
  static constexpr const char* name = "Slower";
  static constexpr int states = 1;
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
  Update<T> at(long step) const {
    return {static_cast<T>(lr / static_cast<double>(step + 1))};
  }
  void check() const {}
};
/// It cannot be copied in GPU code, and need not.
struct TableOptimizer : HostOptimizer {
  std::vector<double> table{1, 0.5};
  template <class T>
  Update<T> at(long step) const {
    return {static_cast<T>(lr * table[static_cast<std::size_t>(step) % table.size()])};
  }
};
struct Optimizer : HostOptimizer {
  static constexpr bool anywhere = true;
  template <class T>
  SINTER_HOST_DEVICE Update<T> at(long step) const {
    return {static_cast<T>(lr / static_cast<double>(step + 1))};
  }
};

template <class Optimizer>
void step(const Optimizer& optimizer) {
  Network<Net, Cuda> net;
  const Tensor<float, Shape<1, 8, 8>> x(2);
  const Tensor<float, Shape<2>> y(2);
  Trainer trainer{net, MSELoss{}, optimizer};
  trainer.step(x, y);
}

int main() {
  Network<Net, Cuda> net;
  const Tensor<float, Shape<1, 8, 8>> x(2);
  const Tensor<float, Shape<2>> y(2);
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  trainer.step(x, y);
  (void)predict(net, x);
  Network<Net> averaged;
  step(moving_average(clip_grad_value(per_step(HostOptimizer{}, HostSchedule{}), 1), averaged));
  step(moving_average(clip_grad_value(per_step(HostOptimizer{}, Schedule{}), 1), averaged));
  step(moving_average(clip_grad_value(per_step(Optimizer{}, HostSchedule{}), 1), averaged));
  step(moving_average(clip_grad_value(per_step(Optimizer{}, WarmUp{2, HostSchedule{}}), 1), averaged));
  step(moving_average(clip_grad_value(per_step(Optimizer{}, WarmUp{2, Schedule{}}), 1), averaged));
  Network<Net> on_host;
  Trainer of_table{on_host, MSELoss{}, per_step(TableOptimizer{}, StepLR{})};
  of_table.step(x, Tensor<float, Shape<2>>(2));
}
