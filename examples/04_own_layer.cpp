// SPDX-License-Identifier: MIT
// An activation, a layer and a loss of your own. They are fused into the kernels like those of the library.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "support/arguments.hpp"
#include "support/devices.hpp"

using namespace sinter;

// [activation]
/// y = x / (1 + e^-x).   V is float, double or a pack of them: no `if`, but fn::select().
struct SwishFunction {
  static constexpr const char* name = "Swish";
  static constexpr bool backward_reads_output = false;  // `saved` is x, not y

  template <class V>
  SINTER_FN static V forward(V x) {
    return x * fn::sigmoid(x);
  }
  template <class V>
  SINTER_FN static V backward(V x, V dy) {
    const V s = fn::sigmoid(x);
    return dy * s * fn::fma(x, V(1) - s, V(1));
  }
};
using Swish = Activation<SwishFunction>;
// [/activation]

// [layer]
/// y = swish(W x + b), with dropout: a layer is a name, what it accepts, and the ops that it lowers to.
template <int Out, double P>
struct Dense {
  static constexpr const char* name = "Dense";
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<ops::MatMul<Out, true>, ops::Map<SwishFunction>, ops::Mask<P, false>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }
};
// [/layer]

// [loss]
/// The mean over a row of d^2 / 2 where |d| < delta, else delta (|d| - delta / 2), d = y - target.
struct RobustLoss {
  double delta = 1;

  using Target = RowTarget;  // numbers; ClassTarget for labels
  static constexpr const char* name = "RobustLoss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    const V most(static_cast<scalar_of<V>>(delta)), count(static_cast<scalar_of<V>>(n));
    V total(0);
    for (int i = 0; i < n; ++i) {
      const V d = fn::abs(y[i] - target[i]), inside = fn::min(d, most);
      total += inside * (d - V(0.5f) * inside);
    }
    return total / count;
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    const V most(static_cast<scalar_of<V>>(delta)), count(static_cast<scalar_of<V>>(n));
    for (int i = 0; i < n; ++i) dy[i] = scale / count * fn::max(-most, fn::min(most, y[i] - target[i]));
  }
};
// [/loss]

struct Net : Sequential<Input<1>, Dense<32, 0.02>, Linear<32>, Swish, Linear<1>> {};

template <class Device>
DeviceRun learn(const Device& device) {
  // A sine wave, measured with an instrument that fails now and then.
  constexpr std::size_t rows = 1000;
  Tensor<float, Shape<1>> x(rows), measured(rows), truth(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x(i, 0) = static_cast<float>(i) / rows * 6 - 3;
    truth(i, 0) = std::sin(x(i, 0));
    measured(i, 0) = i % 20 == 7 ? 10.0f : truth(i, 0);
  }

  const auto begin = std::chrono::steady_clock::now();
  Network<Net, Device> net{device, {.seed = 1}};
  const auto data = dataset(x, measured);
  fit(net, data, RobustLoss{.delta = 0.1}, Adam{.lr = 0.005}, {.batch_size = 50, .epochs = 100});

  const double squared = evaluate(net, dataset(x, truth), MSELoss{}).loss;
  std::printf("%s: root mean squared distance from the sine: %.3f\n", Device::name, std::sqrt(squared));
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), squared < 0.01};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string device = arguments.get("--device", "host", device_choices);
  arguments.finish();
  check_device(arguments, device);
  return on_devices(device, 1, [](const auto& on) { return learn(on); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
