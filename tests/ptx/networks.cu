// SPDX-License-Identifier: MIT
// Small networks by every plan of the Cuda device. Compiled by g++ the kernels run on the host executor, and `write
// FILE` writes what they compute; compiled by nvcc their PTX is run, instruction by instruction, and `compare FILE
// [SEED]` compares every bit with that file. With SINTER_FOUR_NETWORKS a sample of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/sinter.cuh"
#if defined(__CUDACC__)
#include "support/ptx/gpu.hpp"
#endif

namespace {
using namespace sinter::internal;

/// A number as the length of a row.
struct TwoOrFour {
  static constexpr const char* name = "TwoOrFour";
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;
  template <class V>
  SINTER_FN static V forward(V x) {
    return fn::select(x > V(0), V(4), V(2));
  }
  template <class V>
  SINTER_FN static V backward(V, V) {
    return V(0);
  }
};

/// Every kind of product, pool and mask.
struct Mixed
    : Sequential<Input<2, 13, 12>, Conv2d<4, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 3, Groups<2>>,
                 Dropout2d<0.5>, AvgPool2d<2>, Tanh, Flatten, Linear<7>, Sigmoid, Dropout<0.3>, Linear<5>, LogSoftmax> {
};
/// Statistics of a sample, values with several readers, transposed convolutions.
struct Branched
    : Sequential<
          Input<2, 8, 8>, LayerNorm<>, Conv2d<8, 3, Padding<1>>, GroupNorm<2>, GELU,
          Residual<Path<Conv2d<8, 3, Padding<1>>, InstanceNorm2d<Epsilon<1e-4>>, SiLU>>,
          Concat<Path<AvgPool2d<3, Stride<1>, Padding<1>>>, Path<MaxPool2d<2>, ConvTranspose2d<4, 2, Stride<2>>>>,
          Flatten, Linear<9>, Highway<Path<Linear<9>, Tanh>, Path<Linear<9>>>, Linear<5>, LogSoftmax> {};
/// Statistics of a batch.
struct BatchNorms : Sequential<Input<2, 8, 8>, Conv2d<6, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, MaxPool2d<2>,
                               Flatten, Linear<12>, BatchNorm1d<NoAffine>, Tanh, Linear<5>, LogSoftmax> {};
/// Products in pieces, also of windows that a pool follows, and of channels that take their taps one after another.
struct Pieces : Sequential<Input<3, 6, 7>, Conv2d<16, 3, Padding<1>>, MaxPool2d<2>, Tanh, Conv2d<17, 2, Padding<1>>,
                           ReLU, Flatten, Linear<9>, LogSoftmax> {};
/// Values in another place: padded, larger, permuted; statistics along a dimension.
struct Mapped : Sequential<Input<2, 3, 4>, ReflectionPad2d<1>, Conv2d<4, 3>, Tanh, Upsample<2, Bilinear>,
                           PixelShuffle<2>, Transpose<2, 3>, Mean<2>, SoftmaxAlong<2>, Flatten, Linear<7>,
                           RMSNorm<NormalizedShape<7>>, Linear<5>, LogSoftmax> {};
struct Words : Sequential<Input<6>, Embedding<9, 4, ChannelsFirst>, PositionalEncoding, Conv1d<5, 3>, ELU<>,
                          AdaptiveMaxPool1d<3>, Flatten, Linear<5>> {};
/// Every kind of cell, with steps that rows do not have, and a state that is given.
struct Cells : Sequential<Input<4, 2>, Residual<Path<RNN<2>>>,
                          Recurrent<GRU<3, Bidirectional, NoBias>, Path<>, InitialState<Flatten, Linear<6>>,
                                    Lengths<Slice<0, 1>, Slice<0, 1, 2>, Flatten, Activation<TwoOrFour>>>,
                          LSTM<5, ProjectionSize<3>, LearnedState, FinalState>, Linear<5>, LogSoftmax> {};
/// Cells whose states are carried from row to row.
struct Follow
    : Sequential<Input<4, 2>, GRU<3>, LSTM<5, ProjectionSize<3>, LearnedState, FinalState>, Linear<5>, LogSoftmax> {};
struct Perceptron : Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.3>, Linear<6>, Tanh, Linear<4>> {};
struct Regression : Sequential<Input<4>, Linear<9>, PReLU<>, Linear<3>> {};
using Outputs = Heads<Path<Linear<4>>, Path<Linear<5>, Tanh, Linear<2>>>;
struct Headed : Sequential<Input<3>, Linear<7>, Tanh, Outputs> {};

/// What a program computes, by name: written to a file, or compared with one.
class Numbers {
 public:
  explicit Numbers(const char* wanted) {
    std::ifstream from(wanted, std::ios::binary);
    std::string what;
    std::size_t bytes = 0;
    while (from >> bytes && from.get() && std::getline(from, what)) {
      std::string values(bytes, '\0');
      from.read(values.data(), static_cast<std::streamsize>(bytes));
      wanted_[what] = std::move(values);
    }
  }
  template <class T>
  void add(const std::string& what, const T* values, std::size_t count) {
    made_[what] = std::string(reinterpret_cast<const char*>(values), count * sizeof(T));
    numbers_ += count;
    if (wanted_.empty()) return;
    const auto known = wanted_.find(what);
    std::size_t differing = 0, first = 0;
    if (known == wanted_.end() || known->second.size() != made_[what].size()) {
      ++wrong_;
      std::printf("%s: %zu numbers, which the other program has not\n", what.c_str(), count);
      return;
    }
    const auto* other = known->second.data();
    for (std::size_t k = count; k-- > 0;)
      if (std::memcmp(values + k, other + k * sizeof(T), sizeof(T)) != 0) {
        ++differing;
        first = k;
      }
    if (differing == 0) return;
    ++wrong_;
    T wanted{};
    std::memcpy(&wanted, other + first * sizeof(T), sizeof(T));
    std::printf("%s: %zu of %zu numbers differ, first number %zu: %.17g, on the host executor %.17g\n", what.c_str(),
                differing, count, first, static_cast<double>(values[first]), static_cast<double>(wanted));
  }
  void write(const char* file) const {
    std::ofstream to(file, std::ios::binary);
    for (const auto& [what, values] : made_) {
      to << values.size() << ' ' << what << '\n';
      to.write(values.data(), static_cast<std::streamsize>(values.size()));
    }
  }
  std::size_t count() const { return numbers_; }
  bool equal() const { return wrong_ == 0 && wanted_.size() == made_.size(); }

 private:
  std::map<std::string, std::string> wanted_, made_;
  std::size_t numbers_ = 0, wrong_ = 0;
};

std::string name_of_run(const char* name, CudaPlan plan, const char* what) {
  return std::string(name) + ", plan " + name_of(plan) + ", " + what;
}

template <class Model, class T = float>
struct Problem {
  Tensor<T, typename Model::InputRow> x;
  std::vector<int> labels;
  Tensor<float, typename Model::OutputRow> targets;

  explicit Problem(std::size_t rows) : x(rows), labels(rows), targets(rows) {
    std::mt19937 random(1);
    constexpr bool indices = std::is_same_v<Model, Words>;
    for (T& value : x.values())
      value = indices || sizeof(T) == 1 ? static_cast<T>(random() % (indices ? 9 : 256))
                                        : static_cast<T>(static_cast<double>(random() >> 8) * 0x1p-23 - 1);
    for (int& label : labels) label = static_cast<int>(random() % static_cast<unsigned>(Model::OutputRow::size));
    for (float& value : targets.values()) value = static_cast<float>(random() >> 8) * 0x1p-24f;
  }
};

template <class Net, class Data, class Loss>
void add_answers(Numbers& to, const std::string& what, Net& net, const Data& data, const Loss& loss) {
  const auto weights = net.to_host();
  to.add(what + "weights", weights.data(), weights.size());
  const auto outputs = predict(net, data);
  to.add(what + "outputs", outputs.data(), outputs.values().size());
  const auto judged = evaluate(net, data, loss);
  to.add(what + "loss of all", &judged.loss, 1);
}

/// Batches in random order, the last one smaller.
template <class Model, class Device, class T = float, class Precision = Float32, class Loss, class Optimizer>
void train(Numbers& to, const char* name, const Loss& loss, const Optimizer& optimizer, int epochs = 2) {
  const Problem<Model, T> problem(21);
  const auto data = dataset(problem.x, problem.labels, sizeof(T) == 1 ? Normalize::pixels(0.1f, 0.3f) : Normalize{});
  Network<Model, Device, Precision> net{{.seed = 3}};
  const History history = fit(net, data, loss, optimizer, {.batch_size = 8, .epochs = epochs});
  const std::string what = name_of_run(name, Device::plan, "");
  std::vector<double> losses;
  for (const EpochRecord& epoch : history.epochs) losses.push_back(epoch.train_loss);
  to.add(what + "losses", losses.data(), losses.size());
  add_answers(to, what, net, data, loss);
  // A few rows, which the kernel reads and writes in the memory of the host.
  auto workspace = net.workspace(3);
  const auto answer = net.forward(problem.x.view().slice(0, 3), workspace, normalize_of(data));
  to.add(what + "answer", answer.data, answer.rows * Model::OutputRow::size);
}

/// Sequences of four rows, two of them in a batch.
template <class Model, class Device>
void train_chunks(Numbers& to, const char* name) {
  const Problem<Model> problem(24);
  const auto data = dataset(problem.x, problem.labels);
  Network<Model, Device> net{{.seed = 3}};
  fit(net, data, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}, {.batch_size = 2, .epochs = 2, .chunks = 4});
  const std::string what = name_of_run(name, Device::plan, "chunks: ");
  const auto weights = net.to_host();
  to.add(what + "weights", weights.data(), weights.size());
  const double judged = evaluate(net, data, NLLLoss{}, {.chunks = 4}).loss;
  to.add(what + "loss of all", &judged, 1);
}

/// Targets that are numbers.
template <class Model, class Device, class Loss, class Optimizer>
void fit_numbers(Numbers& to, const char* name, const Loss& loss, const Optimizer& optimizer) {
  const Problem<Model> problem(21);
  const auto data = dataset(problem.x, problem.targets);
  Network<Model, Device> net{{.seed = 3}};
  fit(net, data, loss, optimizer, {.batch_size = 8, .epochs = 2});
  add_answers(to, name_of_run(name, Device::plan, ""), net, data, loss);
}

/// Single steps, on data of the host and of the device, one that is left out among them; steps in a graph that the
/// caller captures; micro-batches with the gradient of their inputs.
template <class Model, class Device, class Loss, class Optimizer>
void steps(Numbers& to, const char* name, const Loss& loss, const Optimizer& optimizer) {
  constexpr std::size_t rows = 12;
  const Problem<Model> problem(rows);
  auto wrong = problem.x;
  wrong.data()[0] = HUGE_VALF;
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreate(&stream), "making a stream");
  {
    const Device device{.stream = stream};
    Network<Model, Device> net{device, {.seed = 4}};
    CudaArray<float> x(net.device(), problem.x.values().size());
    x.upload(problem.x.data(), x.size());
    CudaArray<int> labels(net.device(), rows);
    labels.upload(problem.labels.data(), rows);
    const auto on_device = device_rows<typename Model::InputRow>(x);
    Trainer trainer{net, loss, optimizer};
    std::vector<float> losses;
    for (int i = 0; i < 2; ++i) {
      losses.push_back(trainer.step(problem.x, problem.labels));
      losses.push_back(trainer.step(on_device, labels));
      trainer.step(wrong, problem.labels);
    }
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing");
    trainer.step(on_device, labels);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda_check(cudaStreamEndCapture(stream, &graph), "capturing");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "making a graph");
    for (int i = 0; i < 3; ++i) cuda_check(cudaGraphLaunch(executable, stream), "launching");
    losses.push_back(trainer.loss());
    Tensor<float, typename Model::InputRow> dx, more;
    losses.push_back(trainer.accumulate(problem.x, problem.labels, dx));
    losses.push_back(trainer.accumulate(problem.x.view().slice(0, 5), std::span(problem.labels).first(5), more));
    losses.push_back(static_cast<float>(trainer.update()));
    losses.push_back(static_cast<float>(trainer.steps()));
    const std::string what = name_of_run(name, Device::plan, "steps: ");
    const auto weights = net.to_host();
    to.add(what + "weights", weights.data(), weights.size());
    to.add(what + "losses", losses.data(), losses.size());
    to.add(what + "gradient of the input", dx.data(), dx.values().size());
    cuda_check(cudaGraphExecDestroy(executable), "destroying a graph");
    cuda_check(cudaGraphDestroy(graph), "destroying a graph");
  }
  cuda_check(cudaStreamDestroy(stream), "destroying a stream");
}

/// Networks side by side, one of them with rows held out.
template <class Model>
void ensemble(Numbers& to, const char* name) {
  const Problem<Model> problem(30);
  const auto data = dataset(problem.x, problem.labels);
  Ensemble<Model, Cuda> nets(3);
  const std::vector<SGD> rates{{.lr = 0.01}, {.lr = 0.02}, {.lr = 0.04, .momentum = 0.5}};
  std::vector<Fold> folds(3);
  folds[1] = {10, 7};
  const auto histories = fit(nets, data, CrossEntropyLoss{}, rates, {.batch_size = 8, .epochs = 2, .held_out = folds});
  const std::string what = std::string(name) + ", ensemble, ";
  for (std::size_t m = 0; m < 3; ++m) {
    const auto weights = nets[m].to_host();
    to.add(what + "weights " + std::to_string(m), weights.data(), weights.size());
  }
  const double judged = histories[1].epochs.back().validation_loss;
  to.add(what + "loss of the rows held out", &judged, 1);
}

template <CudaPlan Plan>
void by_plan(Numbers& to) {
  using Device = CudaWith<Plan>;
  const SGD momentum{.lr = 0.05, .momentum = 0.9};
  train<Perceptron, Device>(to, "perceptron", CrossEntropyLoss{}, Adam{.lr = 0.01}, 4);
  train<Mixed, Device, std::uint8_t>(to, "mixed", NLLLoss{}, Adam{.lr = 0.003}, 1);
  train<Branched, Device>(to, "branched", NLLLoss{}, momentum, 1);
  train<Mapped, Device>(to, "mapped", NLLLoss{}, momentum, 1);
  train<Cells, Device>(to, "cells", NLLLoss{}, momentum, 1);
  train_chunks<Follow, Device>(to, "cells");
  train<Words, Device>(to, "words", CrossEntropyLoss{}, per_step(AdamW{.lr = 0.01}, CosineAnnealingLR{.T_max = 8}));
  train<Perceptron, Device, float, Float64>(to, "perceptron in double", CrossEntropyLoss{}, Adam{.lr = 0.01});
  fit_numbers<Regression, Device>(to, "regression", HuberLoss{}, RMSprop{.lr = 0.01});
  fit_numbers<Headed, Device>(to, "heads", head_losses<Headed>(MSELoss{}, 0.5 * HuberLoss{}), momentum);
  if constexpr (Plan == CudaPlan::layers) {
    train<BatchNorms, Device>(to, "batch norm", NLLLoss{}, momentum, 1);
    train<Pieces, Device>(to, "pieces", NLLLoss{}, momentum, 1);
    train<Pieces, CudaWith<Plan, CudaProducts::tf32x3>>(to, "pieces, tf32x3", NLLLoss{}, momentum, 1);
    train<Pieces, CudaWith<Plan, CudaProducts::tf32>>(to, "pieces, tf32", NLLLoss{}, momentum, 1);
    train<Pieces, CudaWith<Plan, CudaProducts::bf16>>(to, "pieces, bf16", NLLLoss{}, momentum, 1);
    steps<BatchNorms, Device>(to, "batch norm", NLLLoss{}, momentum);
  } else {
    train<Mixed, Device, float, Float64>(to, "mixed in double", NLLLoss{}, Adam{.lr = 0.003}, 1);
    steps<Mixed, Device>(to, "mixed", NLLLoss{}, Adam{.lr = 0.003});
  }
  steps<Perceptron, Device>(to, "perceptron", CrossEntropyLoss{}, momentum);
}

void run(Numbers& to) {
#if defined(SINTER_FOUR_NETWORKS)
  train<Perceptron, CudaWith<CudaPlan::resident>>(to, "perceptron", CrossEntropyLoss{}, Adam{.lr = 0.01});
  train<Mixed, CudaWith<CudaPlan::pair>>(to, "mixed", NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}, 1);
  train<BatchNorms, CudaWith<CudaPlan::layers>>(to, "batch norm", NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}, 1);
  train<Cells, CudaWith<CudaPlan::layers>>(to, "cells", NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}, 1);
#else
  by_plan<CudaPlan::resident>(to);
  by_plan<CudaPlan::pair>(to);
  by_plan<CudaPlan::layers>(to);
  ensemble<Perceptron>(to, "perceptron");
#endif
}
}  // namespace

int main(int count, char** values) {
  const std::string mode = count > 2 ? values[1] : "";
  const bool compares = mode == "compare";
  if (!compares && mode != "write") {
    std::fprintf(stderr, "usage: %s write FILE, or compare FILE [SEED]\n", values[0]);
    return 2;
  }
  Numbers numbers(compares ? values[2] : "");
  bool right = true;
#if defined(__CUDACC__)
  sinter_test::ptx::Gpu gpu(count > 3 ? static_cast<unsigned>(std::atoi(values[3])) : 1);
#endif
  try {
    run(numbers);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    right = false;
  }
#if defined(__CUDACC__)
  for (const std::string& fault : gpu.faults()) std::printf("refused: %s\n", fault.c_str());
  right = right && gpu.faults().empty() && !gpu.counts().empty();
  std::printf("%s\n", table(gpu.counts(), false).c_str());
#endif
  if (compares)
    right = right && numbers.equal();
  else
    numbers.write(values[2]);
  std::printf("%zu numbers %s\n", numbers.count(), !right ? "WRONG" : compares ? "with the same bits" : "written");
  return right ? 0 : 1;
}
