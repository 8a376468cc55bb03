// SPDX-License-Identifier: MIT
// The perceptrons of `compare` that train with Adam, and inference, in RLtools on OpenBLAS: rltools_cpu version |
// rltools_cpu ROW SECONDS prints a line of JSON. Its hyperbolic tangent is the fast one.
#define RL_TOOLS_BACKEND_ENABLE_OPENBLAS
#include <rl_tools/operations/cpu_mux.h>
//
#include <rl_tools/nn/optimizers/adam/instance/operations_generic.h>
//
#include <rl_tools/nn/operations_cpu_mux.h>
#include <rl_tools/nn_models/models.h>
//
#include <rl_tools/nn/loss_functions/categorical_cross_entropy/operations_generic.h>
#include <rl_tools/nn/loss_functions/mse/operations_generic.h>
#include <rl_tools/nn_models/operations_generic.h>
#include <rl_tools/nn_models/sequential/operations_generic.h>
//
#include <rl_tools/nn/optimizers/adam/operations_generic.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "measure.hpp"

namespace rlt = rl_tools;
using T = float;
using Policy = rlt::numeric_types::Policy<T>;
using Device = rlt::devices::DEVICE_FACTORY<rlt::devices::DefaultCPUSpecification>;
using TI = typename Device::index_t;
using Activation = rlt::nn::activation_functions::ActivationFunction;

template <class U, TI Rows, TI Columns>
using Rows3 = rlt::Tensor<rlt::tensor::Specification<U, TI, rlt::tensor::Shape<TI, 1, Rows, Columns>>>;

/// inputs - width - width - outputs.
template <TI Inputs, TI Width, TI Outputs, Activation Between, TI Batch, bool Trains>
struct Perceptron {
  template <TI N, Activation A>
  using Dense = rlt::nn::layers::dense::BindConfiguration<rlt::nn::layers::dense::Configuration<Policy, TI, N, A>>;
  template <class Content, class Next = rlt::nn_models::sequential::OutputModule>
  using Module = typename rlt::nn_models::sequential::Module<Content, Next>;
  using Chain =
      Module<Dense<Width, Between>, Module<Dense<Width, Between>, Module<Dense<Outputs, Activation::IDENTITY>>>>;
  using Capability = std::conditional_t<Trains, rlt::nn::capability::Gradient<rlt::nn::parameters::Adam>,
                                        rlt::nn::capability::Forward<>>;
  using Model = rlt::nn_models::sequential::Build<Capability, Chain, rlt::tensor::Shape<TI, 1, Batch, Inputs>>;
  using Optimizer = rlt::nn::optimizers::Adam<rlt::nn::optimizers::adam::Specification<
      Policy, TI, rlt::nn::optimizers::adam::DEFAULT_PARAMETERS_PYTORCH<Policy>>>;

  Device device;
  Device::SPEC::RANDOM::ENGINE<> random;
  Model model;
  typename Model::template Buffer<> buffers;
  Rows3<T, Batch, Inputs> x;

  Perceptron() {
    rlt::malloc(device, random);
    rlt::init(device, random, 1);
    rlt::malloc(device, model);
    rlt::malloc(device, buffers);
    rlt::malloc(device, x);
    rlt::init_weights(device, model, random);
  }

  static std::vector<T> numbers(std::size_t count) {
    std::mt19937 random(1);
    std::normal_distribution<T> number;
    std::vector<T> all(count);
    for (T& one : all) one = number(random);
    return all;
  }

  double infer(double seconds) {
    Rows3<T, Batch, Outputs> y;
    rlt::malloc(device, y);
    const auto data = numbers(Batch * Inputs);
    std::copy(data.begin(), data.end(), rlt::data(x));
    return measure(seconds, [&] { rlt::evaluate(device, model, x, y, buffers, random); });
  }

  /// By mean squares, or by cross-entropy of labels.
  template <bool Squares>
  double train(double seconds) {
    Optimizer optimizer;
    rlt::malloc(device, optimizer);
    rlt::init(device, optimizer);
    rlt::reset_optimizer_state(device, optimizer, model);
    Rows3<T, Batch, Outputs> dy;
    rlt::malloc(device, dy);
    using Target = std::conditional_t<Squares, T, TI>;
    constexpr TI columns = Squares ? Outputs : 1;
    Rows3<Target, Batch, columns> wanted;
    rlt::malloc(device, wanted);
    const std::size_t rows = std::max<std::size_t>(4096 / Batch, 1) * Batch;
    const auto data = numbers(rows * Inputs), more = numbers(rows * columns);
    std::vector<Target> targets(rows * columns);
    for (std::size_t i = 0; i < targets.size(); ++i)
      targets[i] = Squares ? static_cast<Target>(more[i]) : static_cast<Target>(i * 7919 % Outputs);
    std::mt19937 chosen(2);
    double losses = 0;
    return measure(seconds, [&] {
      for (std::size_t i = 0; i < Batch; ++i) {
        const std::size_t row = chosen() % rows;
        std::copy_n(data.data() + row * Inputs, Inputs, rlt::data(x) + i * Inputs);
        std::copy_n(targets.data() + row * columns, columns, rlt::data(wanted) + i * columns);
      }
      rlt::zero_gradient(device, model);
      rlt::forward(device, model, x, buffers, random);
      auto output = rlt::output(device, model);
      auto y = rlt::matrix_view(device, output);
      auto targets_now = rlt::matrix_view(device, wanted);
      auto gradient = rlt::matrix_view(device, dy);
      if constexpr (Squares) {
        losses += rlt::nn::loss_functions::mse::evaluate(device, y, targets_now, T(1));
        rlt::nn::loss_functions::mse::gradient(device, y, targets_now, gradient, T(1));
      } else {
        losses += rlt::nn::loss_functions::categorical_cross_entropy::evaluate(device, y, targets_now, T(1));
        rlt::nn::loss_functions::categorical_cross_entropy::gradient(device, y, targets_now, gradient, T(1));
      }
      rlt::backward(device, model, x, dy, buffers);
      rlt::step(device, optimizer, model);
    });
  }
};

int main(int count, char** words) {
  PeerRows rows;
#define TRAIN(NAME, INPUTS, WIDTH, OUTPUTS, BETWEEN, BATCH, SQUARES)                 \
  rows[NAME "/adam train batch " #BATCH] = [](double seconds) {                      \
    static Perceptron<INPUTS, WIDTH, OUTPUTS, Activation::BETWEEN, BATCH, true> net; \
    return net.template train<SQUARES>(seconds);                                     \
  }
#define INFER(NAME, INPUTS, WIDTH, OUTPUTS, BETWEEN, BATCH)                           \
  rows[NAME " infer batch " #BATCH] = [](double seconds) {                            \
    static Perceptron<INPUTS, WIDTH, OUTPUTS, Activation::BETWEEN, BATCH, false> net; \
    return net.infer(seconds);                                                        \
  }
#define INFER_ALL(NAME, INPUTS, WIDTH, OUTPUTS, BETWEEN) \
  INFER(NAME, INPUTS, WIDTH, OUTPUTS, BETWEEN, 1);       \
  INFER(NAME, INPUTS, WIDTH, OUTPUTS, BETWEEN, 64);      \
  INFER(NAME, INPUTS, WIDTH, OUTPUTS, BETWEEN, 800)
  TRAIN("256-64-64-10", 256, 64, 10, RELU, 8, false);
  TRAIN("256-64-64-10", 256, 64, 10, RELU, 32, false);
  TRAIN("256-64-64-10", 256, 64, 10, RELU, 64, false);
  TRAIN("17-64-64-6", 17, 64, 6, FAST_TANH, 256, true);
  TRAIN("784-1024-1024-10", 784, 1024, 10, RELU, 128, false);
  INFER_ALL("4-64-64-2", 4, 64, 2, RELU);
  INFER_ALL("17-64-64-6", 17, 64, 6, FAST_TANH);
  INFER_ALL("256-64-64-10", 256, 64, 10, RELU);
  INFER_ALL("784-1024-1024-10", 784, 1024, 10, RELU);

  return run_rows(count, words, rows, "RLtools on OpenBLAS");
}
