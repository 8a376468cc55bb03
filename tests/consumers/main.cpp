// SPDX-License-Identifier: MIT
// The program that every consumer builds: it trains exclusive or, and fails if that was not learned.
#include <cstdio>
#include <sinter/sinter.hpp>
#include <vector>

#if defined(EXPECT_OPTIMISED)
static_assert(sinter::optimised, "sinter::native did not bring its flags");
#endif

struct Xor : sinter::Sequential<sinter::Input<2>, sinter::Linear<8>, sinter::Tanh, sinter::Linear<2>> {};

int main() {
  const sinter::Tensor<float, sinter::Shape<2>> points{{0, 0, 0, 1, 1, 0, 1, 1}};
  const std::vector<int> labels{0, 1, 1, 0};
  const auto data = sinter::dataset(points, labels);

  sinter::Network<Xor> net{{.seed = 1}};
  sinter::Trainer trainer{net, sinter::CrossEntropyLoss{}, sinter::SGD{.lr = 0.5}};
  float loss = 0;
  for (int step = 0; step < 400; ++step) loss = trainer.step(points, labels);

  const double right = sinter::score(net, data);
  std::printf("sinter %d.%d.%d: loss %.4f, %g of the points right\n", SINTER_VERSION_MAJOR, SINTER_VERSION_MINOR,
              SINTER_VERSION_PATCH, static_cast<double>(loss), right);
  return right == 1 && loss < 0.1f ? 0 : 1;
}
