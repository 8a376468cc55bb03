// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <type_traits>
#include <vector>

#include "sinter/ranks.cuh"
#include "support/cuda_training.hpp"
#include "support/training.hpp"

/// Training over ranks of GPUs against training on one, by the plan pair: the same bits for any number of them.
namespace sinter_test::on_gpus {

using namespace sinter::internal;

struct Convolutional : Sequential<Input<2, 9, 9>, Conv2d<5, 3>, MaxPool2d<Kernel<1, 2>>, ReLU, Dropout2d<0.3>, Flatten,
                                  Linear<20>, ReLU, Dropout<0.5>, Linear<5>, LogSoftmax> {};
struct Perceptron : Sequential<Input<13>, Linear<40>, ReLU, Dropout<0.2>, Linear<3>> {};

/// Bytes go through the memory of the host.
struct OverHost {
  OverHost(Communicator& given, const Cuda& /*device*/) : world(given) {}
  Communicator& world;
};

/// use(net) returns numbers, such as losses: they and the weights of the network are those of one GPU on each of so
/// many ranks, of which each has a GPU. A `Link` is how they exchange bytes.
template <class Model, class Link = OverHost, class Precision = Float32, class Use>
void check_same_bits(const Use& use, std::initializer_list<int> rank_counts = {1, 2, 3, 4}) {
  std::vector<double> numbers;
  std::vector<typename Precision::Scalar> weights;
  {
    const FreshCuda fresh;
    Network<Model, CudaWith<CudaPlan::pair>, Precision> alone{{.seed = 7}};
    numbers = use(alone);
    weights = values(alone);
  }
  for (const int ranks : rank_counts) {
    CAPTURE(ranks);
    const FreshCuda fresh;
    fake_cuda::set_devices(std::vector<fake_cuda::Device>(static_cast<std::size_t>(ranks)));
    std::mutex mutex;
    int right = 0;
    Threads(ranks).run([&](Communicator& world) {
      const Cuda device{.device = world.rank()};
      Link link(world, device);
      Network<Model, Ranks<Cuda>, Precision> net{{link.world, device}, {.seed = 7}};
      const std::vector<double> own = use(net);
      const std::vector<typename Precision::Scalar> its = values(net);
      const std::lock_guard lock(mutex);
      right += same(its, weights) && same(own, numbers);
    });
    CHECK(right == ranks);
  }
}

/// 4 epochs of so many rows; the last batch has the rest.
auto trained(std::size_t rows, std::size_t batch, std::size_t classes, const auto& loss, const auto& optimizer) {
  return [=](auto& net) {
    using Net = std::remove_reference_t<decltype(net)>;
    const auto x = inputs<typename Net::InputRow>(rows);
    const auto labels = labels_for(rows, classes);
    const History history = fit(net, dataset(x, labels), loss, optimizer, {.batch_size = batch, .epochs = 4});
    CHECK(history.epochs.size() == 4);
    std::vector<double> losses;
    for (const EpochRecord& record : history.epochs) losses.push_back(record.train_loss);
    return losses;
  };
}

}  // namespace sinter_test::on_gpus
