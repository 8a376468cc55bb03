// SPDX-License-Identifier: MIT
// Microseconds of a training step by `fit`, which replays graphs of 16 steps or launches resident blocks, of single steps
// launched and captured, of evaluation, and of an answer to one image, on a GPU: medians.
//     times [--quick]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "step_time.hpp"

namespace {
using namespace workload;
bool quick = false;

template <class Model, class T, class Device = Cuda, class Loss>
void train(const char* name, std::size_t rows, std::size_t batch, int epochs, const Loss& loss, double target) {
  const Spread step = step_time<Model, Device, T>(rows, batch, epochs, loss, quick ? 3 : 9);
  const double floor = floor_of<Model>(batch);
  const std::string plan = describe(Network<Model, Device>{{.seed = 1}}, batch);
  std::printf("%-22s %-9s %9.2f %8.2f-%-8.2f %9.2f %9.1f %8.1f\n", name, plan.substr(5, plan.find(' ', 5) - 5).c_str(),
              step.median, step.low, step.high, floor, step.median / floor, target);
}

/// The same with rounded products.
template <class Model, class T, CudaProducts Products>
void train_rounded(const char* name, std::size_t rows, std::size_t batch) {
  const std::string rounded = std::string(name) + ", " + name_of(Products);
  train<Model, T, CudaWith<CudaPlan::layers, Products>>(rounded.c_str(), rows, batch, 1, CrossEntropyLoss{}, 0);
}

/// Many networks at once, each with its own weights, order and rate: microseconds of a step of one of them.
template <class Model>
void train_many(const char* name, std::size_t rows, std::size_t batch, std::size_t nets, double target) {
  const Data<Model, float> data(rows);
  const auto set = data.set();
  Ensemble<Model, Cuda> all(nets);
  std::vector<SGD> rates;
  for (std::size_t m = 0; m < nets; ++m)
    rates.push_back({.lr = 0.001 * std::pow(100, static_cast<double>(m) / static_cast<double>(nets))});
  const auto run = [&](int epochs) {
    const double begin = now();
    fit(all, set, CrossEntropyLoss{}, rates, {.batch_size = batch, .epochs = epochs});
    return now() - begin;
  };
  const double steps = static_cast<double>((rows + batch - 1) / batch * nets);
  std::vector<double> us;
  run(1);
  for (int i = 0; i < (quick ? 2 : 7); ++i) {
    const double one = run(1);
    us.push_back((run(3) - one) * 1e6 / (2 * steps));
  }
  const Spread step(us);
  const double floor = floor_of<Model>(batch);
  std::printf("%-22s %-9s %9.3f %8.3f-%-8.3f %9.3f %9.1f %8.2f\n", name, "resident", step.median, step.low, step.high,
              floor, step.median / floor, target);
}

/// Steps of Trainer::step on data of the GPU: launched one after another, and as a graph of the user's.
template <class Model, class Loss>
void single_steps(const char* name, std::size_t batch, const Loss& loss) {
  cudaStream_t stream;
  cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  {
    const Cuda cuda{.stream = stream};
    const Data<Model, float> data(batch);
    CudaArray<float> x(cuda, data.x.values().size());
    x.upload(data.x.data(), x.size());
    CudaArray<int> labels(cuda, batch);
    labels.upload(data.labels.data(), batch);
    const auto rows = device_rows<typename Model::InputRow>(x);
    Network<Model, Cuda> net{cuda, {.seed = 1}};
    Trainer trainer{net, loss, SGD{.lr = 0.001, .momentum = 0.5}};
    for (int i = 0; i < 3; ++i) trainer.step(rows, labels);
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing");
    trainer.step(rows, labels);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda_check(cudaStreamEndCapture(stream, &graph), "capturing");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "making a graph");
    const auto measure = [&](const char* how, auto step) {
      std::vector<double> us;
      for (int i = 0; i < (quick ? 3 : 9); ++i) {
        cuda_check(cudaStreamSynchronize(stream), "waiting");
        const double begin = now();
        for (int s = 0; s < 500; ++s) step();
        cuda_check(cudaStreamSynchronize(stream), "waiting");
        us.push_back((now() - begin) * 1e6 / 500);
      }
      const Spread spread(us);
      std::printf("%-22s %-9s %9.2f %8.2f-%-8.2f\n", name, how, spread.median, spread.low, spread.high);
    };
    measure("launched", [&] { trainer.step(rows, labels); });
    measure("captured", [&] { cuda_check(cudaGraphLaunch(executable, stream), "launching"); });
    cuda_check(cudaGraphExecDestroy(executable), "freeing a graph");
    cuda_check(cudaGraphDestroy(graph), "freeing a graph");
  }
  cuda_check(cudaStreamDestroy(stream), "freeing a stream");
}

template <class Model>
void answer(const char* name, double target) {
  const Network<Model, Cuda> net{{.seed = 1}};
  const Data<Model, float> data(10000);
  auto workspace = net.workspace(1);
  std::vector<double> us;
  for (int i = 0; i < 2000; ++i) {
    const double begin = now();
    net.forward(data.x.view().slice(static_cast<std::size_t>(i % 100), 1), workspace);
    us.push_back((now() - begin) * 1e6);
  }
  std::sort(us.begin(), us.end());
  std::printf("%-22s %-9s %9.2f %8.2f-%-8.2f %9s %9s %8.1f\n", name, "", us[1000], us[200], us[1980], "", "", target);
  std::vector<double> all;
  for (int i = 0; i < 9; ++i) {
    const double begin = now();
    evaluate(net, data.set(), NLLLoss{});
    all.push_back((now() - begin) * 1e6);
  }
  const Spread e(all);
  std::printf("%-22s %-9s %9.2f %8.2f-%-8.2f\n", "  evaluate 10,000, sent", "", e.median, e.low, e.high);
}
}  // namespace

int main(int count, char** values) {
  quick = count > 1 && std::strcmp(values[1], "--quick") == 0;
  if (cuda_devices().empty()) {
    std::printf("skipped: %s\n", why_no_cuda().c_str());
    return 77;
  }
  const CudaDevice device = cuda_devices()[0];
  std::printf("%s, %d multiprocessors\n", device.name.c_str(), device.multiprocessors);
  std::printf("%-22s %-9s %9s %17s %9s %9s %8s\n", "us a step", "plan", "median", "10-90 %", "floor", "x floor",
              "target");
  train<W1, std::uint8_t>("W1 batch 200", 60000, 200, 4, NLLLoss{}, 30);
  train<W2n2, float>("W2 n=2 batch 100", 1000, 100, 200, CrossEntropyLoss{}, 5);
  train<W2n4, float>("W2 n=4 batch 100", 1000, 100, 200, CrossEntropyLoss{}, 5);
  train<W2n6, float>("W2 n=6 batch 100", 1000, 100, 200, CrossEntropyLoss{}, 10);
  train<W2n8, float>("W2 n=8 batch 100", 1000, 100, 100, CrossEntropyLoss{}, 25);
  train<W2n10, float>("W2 n=10 batch 100", 1000, 100, 40, CrossEntropyLoss{}, 35);
  train<W3Mlp, std::uint8_t>("W3 mlp batch 128", 50000, 128, 4, CrossEntropyLoss{}, 8);
  train<W3Cnn, std::uint8_t>("W3 cnn batch 128", 50000, 128, 1, CrossEntropyLoss{}, 40);
#if !defined(SINTER_SMALL_WORKLOADS)
  train<Wide, float>("Wide batch 128", 12800, 128, 1, CrossEntropyLoss{}, 0);
  train<Vgg, std::uint8_t>("VGG batch 64", 1280, 64, 1, CrossEntropyLoss{}, 0);
  train<ResNet8, std::uint8_t>("ResNet-8 batch 128", 2560, 128, 1, CrossEntropyLoss{}, 0);
  train_rounded<Wide, float, CudaProducts::tf32>("Wide batch 128", 12800, 128);
  train_rounded<Vgg, std::uint8_t, CudaProducts::tf32x3>("VGG batch 64", 1280, 64);
  train_rounded<Vgg, std::uint8_t, CudaProducts::tf32>("VGG batch 64", 1280, 64);
  train_rounded<Vgg, std::uint8_t, CudaProducts::bf16>("VGG batch 64", 1280, 64);
  train_rounded<ResNet8, std::uint8_t, CudaProducts::tf32>("ResNet-8 batch 128", 2560, 128);
#endif
  train<W4, float>("W4 batch 32, one net", 50000, 32, 2, CrossEntropyLoss{}, 0);
  train<W4, float>("W4 batch 64, one net", 50000, 64, 2, CrossEntropyLoss{}, 0);
  train_many<W4>("W4 batch 8, 132 nets", 50000, 8, 132, 0);
  train_many<W4>("W4 batch 32, 132 nets", 50000, 32, 132, 0.1);
  train_many<W4>("W4 batch 64, 132 nets", 50000, 64, 132, 0);
  train_many<W4>("W4 batch 32, 528 nets", 50000, 32, 528, 0.1);
  single_steps<W1>("  W1, single steps", 200, NLLLoss{});
  single_steps<W3Mlp>("  W3 mlp, single steps", 128, CrossEntropyLoss{});
  answer<W1>("W5 W1, one image", 12);
}
