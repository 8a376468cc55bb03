// SPDX-License-Identifier: MIT
// A network that has learned exclusive or answers the four questions.
#include <sinter_inference.hpp>

struct Xor : sinter::Sequential<sinter::Input<2>, sinter::Linear<8>, sinter::Tanh, sinter::Linear<2>> {};

#include "xor_weights.hpp"

static constexpr sinter::View<Xor> net(xor_weights);
static sinter::FixedWorkspace<Xor, 1> workspace;

void setup() {
  Serial.begin(115200);
  for (int question = 0; question < 4; ++question) {
    const float x[2] = {float(question / 2), float(question % 2)};
    const auto y = net.forward(std::span<const float, 2>(x), workspace);
    Serial.println(y[1] > y[0] ? 1 : 0);
  }
}

void loop() {}
