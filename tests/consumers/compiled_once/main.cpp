// SPDX-License-Identifier: MIT
#include <cstdio>

#include "postal.hpp"

double judge(const PostalNet& net, const PostalData& data);

int main(int count, char** values) {
  if (count != 2) return 2;
  const sinter::Mnist digits = sinter::read_mnist(values[1]);
  PostalNet net{{.seed = 1}};
  fit(net, digits.train, PostalLoss{}, sinter::SGD{.lr = 0.1}, {.batch_size = 50, .epochs = 2});
  const double accuracy = judge(net, digits.test);
  std::printf("accuracy %.3f\n", accuracy);
  return accuracy > 0.8 ? 0 : 1;
}
