// SPDX-License-Identifier: MIT
// Numbers that a GPU and the CPU must agree on: bench/cuda/numbers.cu is compiled by nvcc for a GPU, numbers_on_host.cpp
// with the same kernels on the CPU. Each writes weights, losses and outputs after a few epochs to a file, and prints
// how far they are from the reference in double.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "workloads.hpp"

namespace {
using namespace workload;

/// W1, smaller, with every kind of op.
struct Mixed
    : Sequential<Input<2, 13, 12>, Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Groups<2>>,
                 Dropout2d<0.5>, AvgPool2d<2>, Tanh, Flatten, Linear<7>, Sigmoid, Dropout<0.3>, Linear<5>, LogSoftmax> {
};

int wrong = 0;

double norm_error(const auto& a, const auto& b, std::size_t n) {
  double squares = 0, of_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]);
    squares += d * d;
    of_b += static_cast<double>(b.data()[i]) * static_cast<double>(b.data()[i]);
  }
  return std::sqrt(squares) / (std::sqrt(of_b) + 1e-12);
}

template <class Model, class Device, class T, class Loss, class Optimizer>
void run(const char* name, std::ofstream& to, std::size_t rows, std::size_t batch, const Loss& loss,
         const Optimizer& optimizer) {
  const Data<Model, T> data(rows);
  const auto set = data.set();
  Network<Model, Device> net{{.seed = 3}}, again{{.seed = 3}};
  Network<Model, Reference, Float64> reference{{.seed = 3}};
  const auto options = [&](int epochs) {
    return FitOptions<std::remove_const_t<decltype(set)>>{.batch_size = batch, .epochs = epochs};
  };
  const History history = fit(net, set, loss, optimizer, options(3));
  fit(again, set, loss, optimizer, options(3));
  fit(reference, set, loss, optimizer, options(3));
  const auto weights = net.to_host(), weights_again = again.to_host();
  const auto outputs = predict(net, set);
  bool same = true;
  for (std::size_t i = 0; i < weights.size(); ++i) same &= weights.data()[i] == weights_again.data()[i];
  const double error = norm_error(weights, reference.to_host(), weights.size());
  const bool right = same && error < 1e-5 && history.stopped.empty();
  wrong += !right;
  std::printf("%-10s %-9s weights after %zu steps: %.1e off the reference in double, two runs %s  %s\n", name,
              name_of(Device::plan), 3 * ((rows + batch - 1) / batch), error, same ? "equal" : "DIFFER",
              right ? "ok" : "WRONG");
  const auto write = [&](const auto& numbers, std::size_t n) {
    to.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(n * sizeof(*numbers.data())));
  };
  write(weights, weights.size());
  write(outputs, outputs.rows() * Model::OutputRow::size);
  for (const EpochRecord& epoch : history.epochs)
    to.write(reinterpret_cast<const char*>(&epoch.train_loss), sizeof epoch.train_loss);
}

template <CudaPlan Plan>
void small_ones(std::ofstream& to) {
  run<W2n4, CudaWith<Plan>, float>("W2 n=4", to, 203, 100, CrossEntropyLoss{}, SGD{.lr = 0.1});
  run<W2n6, CudaWith<Plan>, float>("W2 n=6", to, 203, 100, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9});
  run<Mixed, CudaWith<Plan>, float>("mixed", to, 75, 16, NLLLoss{}, Adam{.lr = 0.003});
}

/// Side by side, one of them with folds: each as it is alone.
template <class Model>
void many(std::ofstream& to) {
  const Data<Model, float> data(300);
  const auto set = data.set();
  const std::size_t nets = 140;  // more than multiprocessors
  Ensemble<Model, Cuda> all(nets);
  std::vector<SGD> rates;
  std::vector<Fold> folds(nets);
  for (std::size_t m = 0; m < nets; ++m) rates.push_back({.lr = 0.001 * static_cast<double>(m)});
  folds[3] = {100, 77};
  const auto histories = fit(all, set, CrossEntropyLoss{}, rates, {.batch_size = 32, .epochs = 2, .held_out = folds});
  bool same = true;
  for (const std::size_t m : {std::size_t{0}, std::size_t{3}, std::size_t{139}}) {
    Network<Model, CudaWith<CudaPlan::resident>> alone{{.seed = 1 + m}};
    fit(alone, set, CrossEntropyLoss{}, rates[m], {.batch_size = 32, .epochs = 2, .held_out = folds[m]});
    const auto one = all[m].to_host(), other = alone.to_host();
    for (std::size_t i = 0; i < one.size(); ++i) same &= one.data()[i] == other.data()[i];
    to.write(reinterpret_cast<const char*>(one.data()), static_cast<std::streamsize>(one.size() * sizeof(float)));
  }
  const double& judged = histories[3].epochs.back().validation_loss;
  to.write(reinterpret_cast<const char*>(&judged), sizeof judged);
  same &= std::isfinite(judged);
  wrong += !same;
  std::printf("%zu networks in one launch: %s\n", nets, same ? "each as it is alone  ok" : "DIFFER  WRONG");
}
}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s FILE, to write the numbers to\n", values[0]);
    return 2;
  }
  if (cuda_devices().empty()) {
    std::printf("skipped: %s\n", why_no_cuda().c_str());
    return 77;
  }
  std::ofstream to(values[1], std::ios::binary);
  small_ones<CudaPlan::resident>(to);
  small_ones<CudaPlan::pair>(to);
  small_ones<CudaPlan::layers>(to);
  run<W1, Cuda, std::uint8_t>("W1", to, 450, 200, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5});
  run<W3Mlp, Cuda, float>("W3 mlp", to, 200, 128, CrossEntropyLoss{},
                          SGD{.lr = 0.01, .momentum = 0.9, .nesterov = true});
  run<W4, Cuda, float>("W4", to, 200, 32, CrossEntropyLoss{}, SGD{.lr = 0.01});
  run<W4, CudaWith<CudaPlan::resident>, float>("W4", to, 200, 32, CrossEntropyLoss{}, SGD{.lr = 0.01, .momentum = 0.9});
  many<W4>(to);
  to.close();
  if (wrong != 0) std::printf("%d WRONG\n", wrong);
  return wrong == 0 && to ? 0 : 1;
}
