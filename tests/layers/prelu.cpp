// SPDX-License-Identifier: MIT
#include "sinter/layers/prelu.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sinter/model/program.hpp"
#include "sinter/network/network.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {
struct Net : Sequential<Input<2, 3, 4>, PReLU<>, PReLU<PerChannel>> {};
static_assert(Layer<PReLU<>> && Program<Net>::output == image(2, 3, 4));
}  // namespace

TEST_CASE("weights of PReLU have PyTorch's names and shapes, and start at a quarter") {
  REQUIRE(Program<Net>::parameter_count == 2);
  CHECK(Program<Net>::parameters[0].name == "0.weight");
  CHECK(Program<Net>::parameters[0].size == 1);
  CHECK(Program<Net>::parameters[1].name == "1.weight");
  CHECK(Program<Net>::parameters[1].shape[0] == 2);
  CHECK(Program<Net>::parameters[1].rank == 1);
  Network<Net> net;
  for (const auto& parameter : net.parameters())
    for (const float value : parameter.value) CHECK(value == 0.25f);
}

TEST_CASE("a summary shows PReLU as one layer") {
  const std::string text(summary<Net>());
  CAPTURE(text);
  CHECK(text.find("PReLU  ") != std::string::npos);
  CHECK(text.find("PReLU 2") == std::string::npos);
}
