// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// A dataset that changes by epoch is kept on the device anew for each, the same rows as on the host.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {
struct Pictures : Sequential<Input<1, 6, 5>, Flatten, Linear<8>, Tanh, Linear<3>> {};
}  // namespace

TEST_CASE("fit on Cuda takes the rows of each epoch as Host does") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Pictures::InputRow>(20);
  const auto labels = labels_for(20, 3);
  const auto data = dataset(x, labels);
  const auto changed = augment(data, {.seed = 3}, RandomCrop{.padding = 2}, RandomHorizontalFlip{});
  Network<Pictures> host{{.seed = 5}}, plain{{.seed = 5}};
  fit(host, changed, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3});
  fit(plain, data, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3});
  Network<Pictures, Cuda> net{{.seed = 5}};
  fit(net, changed, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3});
  CHECK(norm_error(values(net), values(host)) < 1e-5);
  CHECK(norm_error(values(plain), values(host)) > 1e-3);
}
