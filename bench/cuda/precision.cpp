// SPDX-License-Identifier: MIT
// What rounded products (CudaProducts) do to a whole training, on the CPU: the kernels' source by g++, with the factors
// rounded as tensor cores round them. The losses of each epoch, and the accuracy after the last one.
//     g++ -std=c++20 -O3 -march=native -DSINTER_KERNELS_ON_HOST -Iinclude -Itests -isystem CUDA/include
//         bench/cuda/precision.cpp tests/support/fake_cuda/fake_cuda.cpp -o precision -pthread
//     precision FOLDER [ROWS] [EPOCHS] [CIFAR]     the files of MNIST, rows for training (2,000), epochs (5); the folder of
//                                                  CIFAR-10 for the networks of W3, on gray images, and ResNet-8, too
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "sinter/data/cifar.hpp"
#include "sinter/data/gray.hpp"
#include "sinter/data/mnist.hpp"
#include "sinter/sinter.cuh"
#include "workloads.hpp"

namespace {
using namespace sinter;

struct Perceptron : Sequential<Input<1, 28, 28>, Flatten, Linear<128>, ReLU, Linear<64>, ReLU, Linear<10>, LogSoftmax> {
};
struct Convolutional
    : Sequential<Input<1, 28, 28>, Conv2d<16, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                 Conv2d<32, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<64>, ReLU, Linear<10>, LogSoftmax> {};
struct GrayPerceptron : Sequential<Input<1, 32, 32>, Flatten, Linear<100>, ReLU, Linear<10>> {};

template <class Model, CudaProducts Products>
void train(const char* name, const auto& images, const auto& loss, double lr, std::size_t rows, int epochs) {
  Network<Model, CudaWith<CudaPlan::layers, Products>> net{{.seed = 1}};
  const auto first_of = [rows](const auto& all) { return subset(all, 0, std::min(rows, all.size())); };
  const auto learned = first_of(images.train), tested = first_of(images.test);
  const History history =
      fit(net, learned, loss, SGD{.lr = lr, .momentum = 0.9}, {.batch_size = 100, .epochs = epochs});
  std::printf("%-14s %-8s", name, name_of(Products));
  for (const auto& epoch : history.epochs) std::printf(" %.4f", epoch.train_loss);
  std::printf("   %.2f %%\n", 100 * evaluate(net, tested, loss).accuracy);
  std::fflush(stdout);
}
template <class Model>
void all(const char* name, const auto& images, const auto& loss, double lr, std::size_t rows, int epochs) {
  train<Model, CudaProducts::float32>(name, images, loss, lr, rows, epochs);
  train<Model, CudaProducts::tf32x3>(name, images, loss, lr, rows, epochs);
  train<Model, CudaProducts::tf32>(name, images, loss, lr, rows, epochs);
  train<Model, CudaProducts::bf16>(name, images, loss, lr, rows, epochs);
}
}  // namespace

int main(int count, char** values) try {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [ROWS] [EPOCHS] [CIFAR]\n", values[0]);
    return 2;
  }
  const Mnist digits = read_mnist(values[1]);
  const auto rows = static_cast<std::size_t>(count > 2 ? std::atoi(values[2]) : 2000);
  const int epochs = count > 3 ? std::atoi(values[3]) : 5;
  std::printf("%-14s %-8s loss of each epoch, accuracy\n", "network", "products");
  all<Perceptron>("perceptron", digits, NLLLoss{}, 0.05, rows, epochs);
  all<Convolutional>("convolutional", digits, NLLLoss{}, 0.05, rows, epochs);
#if !defined(SINTER_SMALL_WORKLOADS)
  all<workload::W1>("W1", digits, NLLLoss{}, 0.01, rows, epochs);
  if (count > 4) {
    const auto pictures = read_cifar10(values[4]);
    const struct {
      decltype(gray(pictures.train)) train, test;
    } grays{gray(pictures.train), gray(pictures.test)};
    all<GrayPerceptron>("W3 perceptron", grays, CrossEntropyLoss{}, 0.01, rows, epochs);
    all<workload::W3Cnn>("W3 CNN", grays, CrossEntropyLoss{}, 0.01, rows, epochs);
    all<workload::ResNet8>("ResNet-8", pictures, CrossEntropyLoss{}, 0.05, rows, epochs);
  }
#endif
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
