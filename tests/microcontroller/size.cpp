// SPDX-License-Identifier: MIT
// The program whose size is measured: one network, and nothing else.
#include "controller.hpp"
#include "models.hpp"

static constexpr sinter::View<Controller> net(controller);
static sinter::FixedWorkspace<Controller, 1> workspace;

extern "C" void control(const float (&x)[17], float (&y)[6]) {
  const auto outputs = net.forward(std::span<const float, 17>(x), workspace);
  for (std::size_t i = 0; i < outputs.size(); ++i) y[i] = outputs[i];
}
