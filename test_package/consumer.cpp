// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
#include <vector>

struct Xor : sinter::Sequential<sinter::Input<2>, sinter::Linear<8>, sinter::Tanh, sinter::Linear<2>> {};

int main() {
  const sinter::Tensor<float, sinter::Shape<2>> points{{0, 0, 0, 1, 1, 0, 1, 1}};
  const std::vector<int> labels{0, 1, 1, 0};
  const auto data = sinter::dataset(points, labels);
  sinter::Network<Xor> net;
  sinter::fit(net, data, sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.5}, {.batch_size = 4, .epochs = 400});
  return sinter::score(net, data) == 1 ? 0 : 1;
}
