// SPDX-License-Identifier: MIT
// As size.cpp, in 8 bits.
#include "controller_int8.hpp"
#include "models.hpp"

static constexpr sinter::QuantizedView<Controller> net(controller_int8);
static sinter::QuantizedWorkspace<Controller, 1> workspace;

extern "C" void control(const float (&x)[17], float (&y)[6]) {
  const auto outputs = net.forward(std::span<const float, 17>(x), workspace);
  for (std::size_t i = 0; i < outputs.size(); ++i) y[i] = outputs[i];
}
