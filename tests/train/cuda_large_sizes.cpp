// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Sizes near those that int and a launch hold: a weight of 4096 x 4096, and a batch of 2^18 rows.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Wide : Sequential<Input<4096>, Linear<4096>, ReLU, Linear<3>> {};
struct Small : Sequential<Input<2>, Linear<5>, Tanh, Linear<3>> {};

/// The weights and the losses of two epochs of one step each, as on the host.
template <class Model, CudaPlan Plan>
void check_training(std::size_t rows) {
  const FreshCuda cuda_runtime;
  const auto x = inputs<typename Model::InputRow>(rows);
  const auto labels = labels_for(rows, 3);
  const auto data = dataset(x, labels);
  const auto train = [&](auto& net) {
    std::vector<double> losses;
    for (const auto& epoch :
         fit(net, data, CrossEntropyLoss{}, SGD{.lr = 0.01}, {.batch_size = rows, .epochs = 2}).epochs)
      losses.push_back(epoch.train_loss);
    return losses;
  };
  Network<Model, CudaWith<Plan>> net{{.seed = 1}};
  Network<Model> host{{.seed = 1}};
  const auto losses = train(net), expected = train(host);
  CHECK(losses[1] < losses[0]);
  CHECK(norm_error(losses, expected) < 1e-6);
  CHECK(norm_error(values(net), values(host)) < 1e-6);
  CHECK(norm_error(predict(net, data).values(), predict(host, data).values()) < 1e-5);
}

}  // namespace

TEST_CASE("a weight of 4096 x 4096") { check_training<Wide, CudaPlan::layers>(5); }

TEST_CASE("a batch of 2^18 rows, and of one more") {
  check_training<Small, CudaPlan::pair>(1 << 18);
  check_training<Small, CudaPlan::layers>((1 << 18) + 1);
}
