// SPDX-License-Identifier: MIT
// labels: large sanitized
// fit() on a dataset that is made anew for each epoch.
#include <doctest/doctest.h>

#include <sinter/data/augment.hpp>
#include <sinter/data/batches.hpp>
#include <sinter/sinter.hpp>

#include "support/close.hpp"

using namespace sinter;

namespace {
struct Net : Sequential<Input<1, 6, 6>, Conv2d<3, 3>, ReLU, Flatten, Linear<3>> {};

struct Drawn {
  Tensor<float, Shape<1, 6, 6>> x = Tensor<float, Shape<1, 6, 6>>(50);
  std::vector<int> labels;
  Drawn() {
    for (std::size_t i = 0; i < 50; ++i) {
      labels.push_back(static_cast<int>(i % 3));
      for (int p = 0; p < 36; ++p)
        x.data()[i * 36 + static_cast<std::size_t>(p)] =
            static_cast<float>((p * (labels[i] + 2) + static_cast<int>(i)) % 7) / 7;
    }
  }
  auto data() const { return dataset(x, labels); }
};

template <class Network>
std::vector<float> numbers_of(const Network& net) {
  std::vector<float> all;
  for (const auto& p : net.parameters()) all.insert(all.end(), p.value.begin(), p.value.end());
  return all;
}
template <class Device, class Data>
std::vector<float> trained(const Device& device, const Data& data, int first_epoch, int epochs) {
  Network<Net, Device> net{device, {.seed = 2}};
  fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = epochs, .first_epoch = first_epoch});
  return numbers_of(net);
}
}  // namespace

TEST_CASE("fit trains on the rows of each epoch: as one call for each epoch on its rows, kept") {
  const Drawn drawn;
  const auto data = drawn.data();
  const auto changed = augment(data, {.seed = 3}, RandomCrop{.padding = 2}, RandomHorizontalFlip{});
  Network<Net> net{{.seed = 2}};
  for (int epoch = 0; epoch < 3; ++epoch) {
    const auto rows = changed.epoch(static_cast<std::uint32_t>(epoch));
    fit(net, rows, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .first_epoch = epoch});
  }
  CHECK(trained(Host{}, changed, 0, 3) == numbers_of(net));
  CHECK(trained(Host{}, data, 0, 3) != numbers_of(net));
}

TEST_CASE("the same bits for any number of threads; the reference agrees") {
  const Drawn drawn;
  const auto data = drawn.data();
  const auto changed = augment(data, {.seed = 3}, RandomCrop{.padding = 2}, RandomHorizontalFlip{});
  const auto one = trained(Host{.threads = 1}, changed, 0, 2);
  CHECK(trained(Host{.threads = 2}, changed, 0, 2) == one);
  const auto reference = trained(Reference{}, changed, 0, 2);
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == doctest::Approx(reference[i]).epsilon(1e-4));
}

TEST_CASE("validation sees the rows as they are") {
  const Drawn drawn;
  const auto data = drawn.data();
  const auto changed = augment(data, {.seed = 3}, RandomHorizontalFlip{1});
  Network<Net> net{{.seed = 2}};
  const History history =
      fit(net, changed, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .validation = &changed});
  CHECK(history.epochs[0].validation_loss == evaluate(net, data, CrossEntropyLoss{}).loss);
  CHECK(history.epochs[0].validation_loss != evaluate(net, changed.epoch(0), CrossEntropyLoss{}).loss);
}
