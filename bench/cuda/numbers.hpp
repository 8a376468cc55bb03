// SPDX-License-Identifier: MIT
// Numbers that a GPU and the CPU must agree on: bench/cuda/numbers.cu is compiled by nvcc for a GPU, numbers_on_host.cpp
// with the same kernels on the CPU. Each writes weights, losses and outputs to a file, by workload and plan, and prints how
// far they are from the reference in double; bench/compare_numbers.py compares two files. Training is long enough that
// graphs are replayed; answers without a copy, single steps, gradients of inputs, and double are there too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>
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
/// Statistics of a sample, and values with several readers.
struct Branched
    : Sequential<
          Input<2, 8, 8>, LayerNorm<>, Conv2d<8, 3, Padding<1>>, GroupNorm<2>, GELU,
          Residual<Path<Conv2d<8, 3, Padding<1>>, InstanceNorm2d<Epsilon<1e-4>>, SiLU>>,
          Concat<Path<AvgPool2d<3, Stride<1>, Padding<1>>>, Path<MaxPool2d<2>, ConvTranspose2d<4, 2, Stride<2>>>>,
          Flatten, Linear<9>, Highway<Path<Linear<9>, Tanh>, Path<Linear<9>>>, Linear<5>, LogSoftmax> {};

/// Statistics of a batch.
struct BatchNorms : Sequential<Input<2, 8, 8>, Conv2d<6, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, MaxPool2d<2>,
                               Flatten, Linear<12>, BatchNorm1d<NoAffine>, Tanh, Linear<5>, LogSoftmax> {};

int wrong_ = 0;

double norm_error(const auto& a, const auto& b, std::size_t n) {
  double squares = 0, of_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]);
    squares += d * d;
    of_b += static_cast<double>(b.data()[i]) * static_cast<double>(b.data()[i]);
  }
  return std::sqrt(squares) / (std::sqrt(of_b) + 1e-12);
}

/// A line that says what it is, then the numbers.
template <class T>
void write(std::ofstream& to, const std::string& what, const T* numbers, std::size_t n) {
  to << what << ' ' << sizeof(T) << ' ' << n << '\n';
  to.write(reinterpret_cast<const char*>(numbers), static_cast<std::streamsize>(n * sizeof(T)));
}

template <class Model, class Device, class T, class Precision = Float32, class Loss, class Optimizer>
void run(const char* name, std::ofstream& to, std::size_t rows, std::size_t batch, int epochs, const Loss& loss,
         const Optimizer& optimizer) {
  const Data<Model, T> data(rows);
  const auto set = data.set();
  Network<Model, Device, Precision> net{{.seed = 3}}, again{{.seed = 3}};
  Network<Model, Reference, Float64> reference{{.seed = 3}};
  const FitOptions<std::remove_const_t<decltype(set)>> options{.batch_size = batch, .epochs = epochs};
  const History history = fit(net, set, loss, optimizer, options);
  fit(again, set, loss, optimizer, options);
  fit(reference, set, loss, optimizer, options);
  const auto weights = net.to_host(), weights_again = again.to_host();
  const auto outputs = predict(net, set);
  bool same = true;
  for (std::size_t i = 0; i < weights.size(); ++i) same &= weights.data()[i] == weights_again.data()[i];
  const double error = norm_error(weights, reference.to_host(), weights.size());
  const bool right = same && error < 1e-5 && history.stopped.empty();
  wrong_ += !right;
  std::printf("%-10s %-9s weights after %zu steps: %.1e off the reference in double, two runs %s  %s\n", name,
              name_of(Device::plan), static_cast<std::size_t>(epochs) * ((rows + batch - 1) / batch), error,
              same ? "equal" : "DIFFER", right ? "ok" : "WRONG");
  const std::string what = std::string(name) + '/' + name_of(Device::plan) + '/';
  write(to, what + "weights", weights.data(), weights.size());
  write(to, what + "outputs", outputs.data(), outputs.rows() * Model::OutputRow::size);
  std::vector<double> losses;
  for (const EpochRecord& epoch : history.epochs) losses.push_back(epoch.train_loss);
  write(to, what + "losses", losses.data(), losses.size());

  // An answer without a copy: a few rows, that the kernel reads and writes in the memory of the host.
  auto workspace = net.workspace(3);
  const auto answer = net.forward(data.x.view().slice(0, std::min<std::size_t>(3, rows)), workspace, normalize_of(set));
  write(to, what + "answer", answer.data, answer.rows * Model::OutputRow::size);
}

/// Rounded products, whose bits are the GPU's own: what two steps change, beside the reference.
template <class Model, CudaProducts Products, class T>
void rounded(const char* name, std::size_t rows, double most) {
  const Data<Model, T> data(rows);
  const auto set = data.set();
  Network<Model, CudaWith<CudaPlan::layers, Products>> net{{.seed = 3}};
  Network<Model, Reference, Float64> reference{{.seed = 3}};
  const auto before = reference.to_host();
  const FitOptions<std::remove_const_t<decltype(set)>> options{.batch_size = rows / 2, .epochs = 1};
  fit(net, set, CrossEntropyLoss{}, SGD{.lr = 0.01}, options);
  fit(reference, set, CrossEntropyLoss{}, SGD{.lr = 0.01}, options);
  const auto after = net.to_host();
  const auto wanted = reference.to_host();
  std::vector<double> change(after.size()), wanted_change(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    change[i] = static_cast<double>(after.data()[i]) - static_cast<double>(static_cast<float>(before.data()[i]));
    wanted_change[i] = wanted.data()[i] - before.data()[i];
  }
  const double error = norm_error(change, wanted_change, change.size());
  wrong_ += !(error < most);
  std::printf("%-10s %-9s changes of weights %.1e off the reference in double  %s\n", name, name_of(Products), error,
              error < most ? "ok" : "WRONG");
}

/// Single steps, which wait for nothing, on data of the host and of the device, one that is left out among them; and
/// micro-batches with the gradient of their inputs.
template <class Model, class Device, class Loss, class Optimizer>
void steps(const char* name, std::ofstream& to, const Loss& loss, const Optimizer& optimizer) {
  constexpr std::size_t rows = 24;
  const Data<Model, float> data(rows);
  auto wrong = data.x;
  wrong.data()[0] = HUGE_VALF;
  Network<Model, Device> net{{.seed = 4}};
  CudaArray<float> x(net.device(), data.x.values().size());
  x.upload(data.x.data(), x.size());
  CudaArray<int> labels(net.device(), rows);
  labels.upload(data.labels.data(), rows);
  Trainer trainer{net, loss, optimizer};
  std::vector<float> losses;
  for (int i = 0; i < 5; ++i) {
    losses.push_back(trainer.step(data.x, data.labels));
    losses.push_back(trainer.step(device_rows<typename Model::InputRow>(x), labels));
    trainer.step(wrong, data.labels);
  }
  const bool left_out = !trainer.problem().empty() && trainer.steps() == 10;
  Tensor<float, typename Model::InputRow> dx, more;
  losses.push_back(trainer.accumulate(data.x, data.labels, dx));
  losses.push_back(trainer.accumulate(data.x.view().slice(0, 7), std::span(data.labels).first(7), more));
  const bool right = trainer.update() && left_out;
  wrong_ += !right;
  const std::string what = std::string(name) + '/' + name_of(Device::plan) + "/steps ";
  const auto weights = net.to_host();
  write(to, what + "weights", weights.data(), weights.size());
  write(to, what + "losses", losses.data(), losses.size());
  write(to, what + "input gradient", dx.data(), dx.values().size());
  std::printf("%-10s %-9s single steps: what is not finite is left out  %s\n", name, name_of(Device::plan),
              right ? "ok" : "WRONG");
}

/// Small networks by one plan; for a sanitizer, `few` steps of them.
template <CudaPlan Plan>
void small_ones(std::ofstream& to, bool few) {
  using Device = CudaWith<Plan>;
  const int epochs = few ? 1 : 20;
  run<W2n4, Device, float>("W2n4", to, 203, 100, epochs, CrossEntropyLoss{}, SGD{.lr = 0.1});
  run<Mixed, Device, float>("mixed", to, few ? 20 : 75, 16, few ? 1 : 9, NLLLoss{}, Adam{.lr = 0.003});
  // By SGD: a bias before statistics has no gradient but what is rounded, which Adam makes as large as its rate.
  run<Branched, Device, float>("branched", to, few ? 20 : 75, 16, few ? 1 : 9, NLLLoss{}, SGD{.lr = 0.05});
  if constexpr (Plan == CudaPlan::layers) {
    run<BatchNorms, Device, float>("batch norm", to, few ? 20 : 75, 16, few ? 1 : 9, NLLLoss{}, SGD{.lr = 0.05});
    steps<BatchNorms, Device>("batch norm", to, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9});
  }
  steps<W2n4, Device>("W2n4", to, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9});
  if (few) return;
  run<W2n6, Device, float>("W2n6", to, 203, 100, epochs, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9});
  run<W2n4, Device, float, Float64>("W2n4 double", to, 203, 100, epochs, CrossEntropyLoss{}, SGD{.lr = 0.1});
  run<Mixed, Device, float, Float64>("mixed double", to, 75, 16, 9, NLLLoss{}, Adam{.lr = 0.003});
  steps<Mixed, Device>("mixed", to, NLLLoss{}, Adam{.lr = 0.003});
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
    write(to, "W4/ensemble/member " + std::to_string(m), one.data(), one.size());
  }
  const double& judged = histories[3].epochs.back().validation_loss;
  write(to, "W4/ensemble/judged", &judged, 1);
  same &= std::isfinite(judged);
  wrong_ += !same;
  std::printf("%zu networks in one launch: %s\n", nets, same ? "each as it is alone  ok" : "DIFFER  WRONG");
}
}  // namespace

int main(int count, char** values) {
  const bool few = count == 3 && std::string(values[2]) == "few";
  if (count != 2 && !few) {
    std::fprintf(stderr, "usage: %s FILE [few], to write the numbers to; few steps are for a sanitizer\n", values[0]);
    return 2;
  }
  if (cuda_devices().empty()) {
    std::printf("skipped: %s\n", why_no_cuda().c_str());
    return 77;
  }
  std::ofstream to(values[1], std::ios::binary);
  small_ones<CudaPlan::resident>(to, few);
  small_ones<CudaPlan::pair>(to, few);
  small_ones<CudaPlan::layers>(to, few);
  if (!few) {
    run<W1, Cuda, std::uint8_t>("W1", to, 450, 200, 3, NLLLoss{}, SGD{.lr = 0.01, .momentum = 0.5});
    run<W3Mlp, Cuda, float>("W3 mlp", to, 200, 128, 3, CrossEntropyLoss{},
                            SGD{.lr = 0.01, .momentum = 0.9, .nesterov = true});
    run<W4, Cuda, float>("W4", to, 200, 32, 3, CrossEntropyLoss{}, SGD{.lr = 0.01});
    run<W4, CudaWith<CudaPlan::resident>, float>("W4", to, 200, 32, 3, CrossEntropyLoss{},
                                                 SGD{.lr = 0.01, .momentum = 0.9});
    many<W4>(to);
#if !defined(SINTER_SMALL_WORKLOADS)
    const SGD momentum{.lr = 0.01, .momentum = 0.9};
    run<Wide, Cuda, float>("wide", to, 24, 16, 1, CrossEntropyLoss{}, momentum);
    run<Vgg, Cuda, std::uint8_t>("VGG", to, 6, 4, 1, CrossEntropyLoss{}, momentum);
    run<ResNet8, Cuda, std::uint8_t>("ResNet-8", to, 12, 8, 1, CrossEntropyLoss{}, momentum);
#if defined(__CUDACC__)
    rounded<Vgg, CudaProducts::tf32x3, std::uint8_t>("VGG", 8, 1e-4);
    rounded<Vgg, CudaProducts::tf32, std::uint8_t>("VGG", 8, 3e-2);
    rounded<Vgg, CudaProducts::bf16, std::uint8_t>("VGG", 8, 1e-1);
#endif
#endif
  }
  to.close();
  if (wrong_ != 0) std::printf("%d WRONG\n", wrong_);
  return wrong_ == 0 && to ? 0 : 1;
}
