// SPDX-License-Identifier: MIT
// expected: sinter: a FixedTrainer has losses of whole rows: neither at_each_step or at_each_pixel
#include <sinter/fixed_trainer.hpp>
#include <sinter/sinter.hpp>
using namespace sinter;
struct Net : Sequential<Input<6, 2>, PositionwiseLinear<4>> {};
using Loss = decltype(at_each_step<Net>(CrossEntropyLoss{}));
constexpr auto bytes = fixed_trainer_bytes<Net, Loss, SGD, 8>;
