// expected: sinter: this loss reads another number of outputs than the network has: its `outputs` says how many; end the network in as many, or correct that number
// SPDX-License-Identifier: MIT
#include <sinter/fixed_trainer.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<1>> {};
struct Own : MSELoss {
  static constexpr int outputs = 2, target_size = 1;
};

std::size_t bytes() { return sizeof(FixedTrainer<Net, Own, SGD, 4>); }
