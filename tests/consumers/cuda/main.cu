// SPDX-License-Identifier: MIT
// The program that every consumer of sinter::cuda builds: exclusive or on a GPU. Where there is none it says so, and ends
// with 77, which CTest reports as Skipped.
#include <cstdio>
#include <sinter/io.hpp>  // nvcc compiles it, too
#include <sinter/sinter.cuh>
#include <vector>

struct Xor : sinter::Sequential<sinter::Input<2>, sinter::Linear<8>, sinter::Tanh, sinter::Linear<2>> {};

int main() {
  if (sinter::cuda_devices().empty()) {
    std::printf("skipped: %s\n", sinter::why_no_cuda().c_str());
    return 77;
  }
  const sinter::Tensor<float, sinter::Shape<2>> points{{0, 0, 0, 1, 1, 0, 1, 1}};
  const std::vector<int> labels{0, 1, 1, 0};
  const auto data = sinter::dataset(points, labels);

  sinter::Network<Xor, sinter::Cuda> net{{.seed = 1}};
  sinter::fit(net, data, sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.5}, {.batch_size = 4, .epochs = 400});
  const auto [loss, right] = sinter::evaluate(net, data, sinter::CrossEntropyLoss{});
  std::printf("loss %.4f, %g of the points right\n", loss, right);
  return right == 1 && loss < 0.1 ? 0 : 1;
}
