// SPDX-License-Identifier: MIT
// Several inputs: that nvcc makes kernels of them, in each plan, forward and backward, and that forward takes each.
#include <sinter/sinter.cuh>
#include <vector>

namespace {
using namespace sinter;

struct Flat : Inputs<Named<"picture", Input<2, 6, 5>>, Named<"numbers", Input<3>>> {};
struct Both : Sequential<Flat,
                         Concat<Path<TakeInput<Flat, "picture">, Conv2d<3, 3, Padding<1>>, ReLU, Flatten>,
                                Path<TakeInput<Flat, 1>, Linear<4>, Tanh>>,
                         Linear<2>> {};

template <CudaPlan plan>
bool learns(const Tensor<float, Shape<2, 6, 5>>& pictures, const Tensor<float, Shape<3>>& numbers) {
  const std::vector<int> labels(pictures.rows());
  const auto x = join_inputs<Both>(pictures, numbers);
  Network<Both, CudaWith<plan>> net{{.seed = 1}};
  const auto history =
      fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 16, .epochs = 4});
  auto workspace = net.workspace(pictures.rows());
  const auto y = net.forward(pictures, named<"numbers">(numbers), workspace);
  return history.epochs.back().train_loss < history.epochs.front().train_loss && y(0, 0) > y(0, 1);
}
}  // namespace

bool inputs_learn() {
  const Tensor<float, Shape<2, 6, 5>> pictures(40);
  const Tensor<float, Shape<3>> numbers(40);
  return learns<CudaPlan::resident>(pictures, numbers) && learns<CudaPlan::layers>(pictures, numbers);
}
