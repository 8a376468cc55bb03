// SPDX-License-Identifier: MIT
// Accuracy of networks in 8 bits, quantized as they are and trained for it, beside float.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sinter/data/gray.hpp>
#include <sinter/int8.hpp>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <stdexcept>
#include <string>

#include "support/networks.hpp"

using namespace sinter;

namespace {

constexpr const char* usage =
    "int8_accuracy [--data DIR] [--weights DIR]: trains networks on MNIST (DIR/mnist) and CIFAR-10 (DIR/cifar10), and\n"
    "prints their accuracy on the test sets in float, in 8 bits with ranges of 200 training rows, and in 8 bits after\n"
    "further training with fake quantisation. Without --data it takes the few pictures of the repository. Keeps the\n"
    "float networks in the folder of --weights, and takes those that are there.";

// Each network as it is trained in float, and with the ranges of its values.
struct LeNet : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, Conv2d<20, 5>, Dropout2d<0.5>,
                          MaxPool2d<2>, ReLU, Flatten, Linear<50>, ReLU, Dropout<0.5>, Linear<10>, LogSoftmax> {};
struct LeNetRanges : Sequential<Input<1, 28, 28>, Conv2d<10, 5>, MaxPool2d<2>, ReLU, FakeQuantize<0, 7>, Conv2d<20, 5>,
                                Dropout2d<0.5>, MaxPool2d<2>, ReLU, FakeQuantize<0, 11>, Flatten, Linear<50>, ReLU,
                                FakeQuantize<0, 18>, Dropout<0.5>, Linear<10>, LogSoftmax> {};

struct Perceptron : Sequential<Input<1, 32, 32>, Flatten, Linear<100>, ReLU, Linear<10>> {};
struct PerceptronRanges : Sequential<Input<1, 32, 32>, Flatten, Linear<100>, ReLU, FakeQuantize<0, 5>, Linear<10>> {};

struct Gray : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, ReLU, MaxPool2d<2>, Conv2d<32, 2>, ReLU, MaxPool2d<2>,
                         Conv2d<64, 2>, ReLU, MaxPool2d<2>, Flatten, Linear<200>, ReLU, Linear<10>> {};
struct GrayRanges : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, ReLU, FakeQuantize<0, 3>, MaxPool2d<2>, Conv2d<32, 2>,
                               ReLU, FakeQuantize<0, 5>, MaxPool2d<2>, Conv2d<64, 2>, ReLU, FakeQuantize<0, 6>,
                               MaxPool2d<2>, Flatten, Linear<200>, ReLU, FakeQuantize<0, 5>, Linear<10>> {};

using bench::ResNet8;
using bench::Same;
using Up = FakeQuantize<0, 6>;
using Both = FakeQuantize<-6, 6>;
template <int Channels>
using Half =
    Residual<Path<Same<Channels, 3, Stride<2>>, BatchNorm2d<>, ReLU, Up, Same<Channels, 3>, BatchNorm2d<>, Both>,
             Shortcut<Same<Channels, 1, Stride<2>>, BatchNorm2d<>, Both>>;
struct ResNet8Ranges
    : Sequential<Input<3, 32, 32>, Same<16, 3>, BatchNorm2d<>, ReLU, Up,
                 Residual<Path<Same<16, 3>, BatchNorm2d<>, ReLU, Up, Same<16, 3>, BatchNorm2d<>, Both>>, ReLU, Up,
                 Half<32>, ReLU, Up, Half<64>, ReLU, Up, AvgPool2d<8>, Flatten, Linear<10>> {};

template <class Model, class Ranges, class Data, class Loss, class Optimizer>
void measure(const char* name, const Data& train, const Data& test, const Loss& loss, Optimizer optimizer,
             FitOptions<Data> options, const std::string& kept) {
  Network<Model> net{{.seed = 1}};
  if (!kept.empty() && std::filesystem::exists(kept)) {
    load(net, kept);
  } else {
    fit(net, train, loss, optimizer, options);
    if (!kept.empty()) save(net, kept);
  }
  const auto some = subset(train, 0, 200);
  std::printf("| %s | %.2f %% | %.2f %% |", name, 100 * score(net, test), 100 * score(quantize(net, some), test));
  std::fflush(stdout);

  Network<Ranges> trained{{.seed = 2}};
  const auto& numbers = net.to_host();
  trained.from_host({numbers.data(), numbers.size()});
  optimizer.lr /= 10;
  fit(trained, train, loss, optimizer, {.batch_size = options.batch_size, .epochs = 1}, FakeQuantizeWeights{trained});
  // A comparison that has as much training: the same epoch in float.
  fit(net, train, loss, optimizer, {.batch_size = options.batch_size, .epochs = 1});
  std::printf(" %.2f %% | %.2f %% | %.2f %% | %.2f %% |\n", 100 * score(net, test),
              100 * score(quantize(net, some), test), 100 * score(trained, test),
              100 * score(quantize(trained, some), test));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) try {
  std::string mnist = SINTER_MNIST_SUBSET, cifar10 = SINTER_CIFAR10_SUBSET, weights;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word == "--help") return std::printf("%s\n", usage) > 0 ? 0 : 1;
    if (word == "--data" && i + 1 < count) {
      const std::string folder = values[++i];
      mnist = folder + "/mnist";
      cifar10 = folder + "/cifar10";
    } else if (word == "--weights" && i + 1 < count) {
      weights = values[++i];
    } else {
      throw std::runtime_error("int8_accuracy: \"" + word +
                               "\" is no option with its value; give --data or --weights with a folder, or --help");
    }
  }
  const auto kept = [&](const char* name) {
    return weights.empty() ? weights : (std::filesystem::path(weights) / name).string();
  };
  std::printf(
      "| network | float | 8 bits, calibrated | one epoch more: float | 8 bits, calibrated | "
      "with fake quantisation | 8 bits, trained |\n|---|---|---|---|---|---|---|\n");
  const Mnist digits = read_mnist(mnist);
  measure<LeNet, LeNetRanges>("LeNet, MNIST", digits.train, digits.test, NLLLoss{}, Adam{},
                              {.batch_size = 50, .epochs = 3}, kept("lenet.safetensors"));
  const Cifar colour = read_cifar10(cifar10);
  const auto train = gray(colour.train, Normalize::pixels(0.5f, 1)),
             test = gray(colour.test, Normalize::pixels(0.5f, 1));
  const SGD sgd{.lr = 0.01, .momentum = 0.9, .nesterov = true}, faster{.lr = 0.015, .momentum = 0.9, .nesterov = true};
  measure<Perceptron, PerceptronRanges>("1024-100-10, gray CIFAR-10", train, test, CrossEntropyLoss{}, sgd,
                                        {.batch_size = 128, .epochs = 10}, kept("mlp.safetensors"));
  measure<Gray, GrayRanges>("3 convolutions, gray CIFAR-10", train, test, CrossEntropyLoss{}, faster,
                            {.batch_size = 128, .epochs = 5}, kept("cnn.safetensors"));
  measure<ResNet8, ResNet8Ranges>("ResNet-8, CIFAR-10", colour.train, colour.test, CrossEntropyLoss{}, Adam{},
                                  {.batch_size = 128, .epochs = 3}, kept("resnet8.safetensors"));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
