// SPDX-License-Identifier: MIT
#pragma once

// The networks whose kernels must fit in a GPU's registers: one for each plan.
#include <sinter/sinter.cuh>
#include <vector>

namespace nets {
using namespace sinter;

struct LeNet : Sequential<Input<1, 28, 28>,                                   //
                          Conv2d<10, 5>, MaxPool2d<2>, ReLU,                  // 10 x 12 x 12
                          Conv2d<20, 5>, Dropout2d<0.5>, MaxPool2d<2>, ReLU,  // 20 x 4 x 4
                          Flatten, Linear<50>, ReLU, Dropout<0.5>,            // 50
                          Linear<10>, LogSoftmax> {};
struct Mlp : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<64>,
                        ReLU, Linear<2>, LogSoftmax> {};
/// Of one row alone there is more than a block can hold.
struct Wide : Sequential<Input<20000>, Linear<256>, ReLU, Linear<1024>, ReLU, Linear<10>, LogSoftmax> {};

/// Of which few rows fit beside it.
struct Large : Sequential<Input<256>, Linear<64>, ReLU, Linear<64>, ReLU, Linear<10>, LogSoftmax> {};

/// Statistics of a sample: of features, of groups of channels and of whole images.
struct Norms : Sequential<Input<3, 8, 8>, LayerNorm<>, Conv2d<8, 3, Padding<1>>, GroupNorm<2>, ReLU, InstanceNorm2d<>,
                          Flatten, Linear<32>, LayerNorm<>, ReLU, Linear<10>, LogSoftmax> {};

/// Statistics of a batch.
struct BatchNorms : Sequential<Input<3, 8, 8>, Conv2d<8, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU, Flatten,
                               Linear<32>, BatchNorm1d<>, ReLU, Linear<10>, LogSoftmax> {};

/// Trains on equal rows, all of class 0. Whether that was learned.
template <class Net, CudaPlan Plan>
bool learns(double lr = 0.01) {
  Network<Net, CudaWith<Plan>> net{{.seed = 1}};
  const Tensor<float, typename Net::InputRow> x(std::vector<float>(std::size_t(40) * Net::InputRow::size, 0.01f));
  const std::vector<int> labels(40);
  const auto data = dataset(x, labels);
  fit(net, data, NLLLoss{}, SGD{.lr = lr}, {.batch_size = 20, .epochs = 20});
  const auto y = predict(net, data);
  return evaluate(net, data, NLLLoss{}).accuracy == 1 && y(0, 0) > y(0, 1);
}
/// The same of several networks at once, with folds.
template <class Net>
bool all_learn() {
  Ensemble<Net, Cuda> nets(3);
  const Tensor<float, typename Net::InputRow> x(std::vector<float>(std::size_t(40) * Net::InputRow::size, 0.01f));
  const std::vector<int> labels(40);
  const auto data = dataset(x, labels);
  fit(nets, data, NLLLoss{}, SGD{.lr = 0.01}, {.batch_size = 20, .epochs = 20, .held_out = k_folds(40, 3)});
  bool right = true;
  for (const auto& [loss, accuracy] : evaluate(nets, data, NLLLoss{})) right &= accuracy == 1;
  return right;
}
}  // namespace nets
