// SPDX-License-Identifier: MIT
// A network of the host, trained from a file that nvcc compiles: its front end must take the whole library.
#include <sinter/sinter.hpp>

#include <cstdio>

struct Net : sinter::Sequential<sinter::Input<1, 8, 8>, sinter::Conv2d<4, 3, sinter::NoBias>, sinter::MaxPool2d<2>,
                                sinter::ReLU, sinter::Dropout2d<0.5>, sinter::Flatten, sinter::Linear<2>,
                                sinter::LogSoftmax> {};
static_assert(sinter::summary_of<Net>.parameters == 4 * 9 + 2 * 36 + 2);

int main() {
  sinter::Network<Net> net{{.seed = 1}};
  sinter::Tensor<float, sinter::Shape<1, 8, 8>> x(4);
  const std::vector<int> labels{0, 1, 1, 0};
  for (std::size_t i = 0; i < labels.size(); ++i) x(i, 0, 3, 3 + labels[i]) = 1;
  const sinter::History history = sinter::fit(net, sinter::dataset(x, labels), sinter::NLLLoss{},
                                              sinter::SGD{.lr = 0.1}, {.batch_size = 2, .epochs = 2});
  std::printf("%s%s", std::string(sinter::summary<Net>()).c_str(), sinter::describe(net, 4).c_str());
  return history.epochs.size() == 2 ? 0 : 1;
}
