// SPDX-License-Identifier: MIT
#include "sinter/model/program.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "support/w1.hpp"

using namespace sinter::internal;
using sinter_test::W1;

namespace {

struct Grouped : Sequential<Input<4, 6, 8>, Conv2d<6, Kernel<3, 2>, Groups<2>, NoBias>, Flatten, Linear<3, NoBias>> {};
struct Nothing : Sequential<Input<5>, Flatten> {};

using P = Program<W1>;
static_assert(P::layer_count == 13 && P::op_count == 12 && P::value_count == 13);
static_assert(P::input == image(1, 28, 28) && P::output == features(10));
static_assert(P::trained == 21840);

// Each op reads the value before it; Flatten is none.
static_assert([] {
  for (int i = 0; i < P::op_count; ++i) {
    const Op& op = P::ops[static_cast<std::size_t>(i)];
    if (op.input_count != 1 || op.inputs[0] != i || op.output != i + 1) return false;
    if (i > 0 && op.in.size() != P::ops[static_cast<std::size_t>(i - 1)].out.size()) return false;
  }
  return true;
}());
static_assert(P::ops[6].layer == 6 && P::ops[7].layer == 8);
static_assert(P::ops[7].in == features(320) && P::layer_outputs[7] == features(320));
static_assert(P::layer_outputs[3] == image(20, 8, 8));
static_assert(std::is_same_v<P::OpType<2>, Map<fn::Relu>>);

// Parameters are numbered in order, a bias after its weight.
static_assert(P::ops[0].weight == 0 && P::ops[0].bias == 1 && P::ops[3].weight == 2 && P::ops[10].bias == 7);
static_assert(P::ops[1].weight == -1 && P::ops[1].bias == -1);

static_assert(P::parameter_count == 8);
static_assert(P::parameters[2].size == 20 * 10 * 25 && P::parameters[2].fan_in == 250 &&
              P::parameters[2].fan_out == 500);
static_assert(P::parameters[4].fan_in == 320 && P::parameters[4].fan_out == 50);
static_assert(P::parameters[5].is_bias && P::parameters[5].fan_in == 320);  // PyTorch's bound for the bias

static_assert(Program<Grouped>::parameter_count == 2);
static_assert(Program<Grouped>::parameters[0].size == 6 * 2 * 3 * 2 && Program<Grouped>::parameters[0].fan_in == 12);
static_assert(Program<Grouped>::ops[0].bias == -1);
static_assert(Program<Nothing>::op_count == 0 && Program<Nothing>::trained == 0 && Program<Nothing>::arena_size == 0);

template <class Model>
void check_places() {
  int end = 0, trained = 0;
  for (const Parameter& p : Program<Model>::parameters) {
    CHECK(p.offset % parameter_alignment == 0);
    CHECK(p.offset >= end);
    CHECK(p.offset - end < parameter_alignment);
    int size = 1;
    for (int i = 0; i < p.rank; ++i) size *= p.shape[static_cast<std::size_t>(i)];
    CHECK(size == p.size);
    end = p.offset + p.size;
    trained += p.size;
  }
  CHECK(Program<Model>::arena_size == round_up(end, parameter_alignment));
  CHECK(Program<Model>::trained == trained);
}

std::vector<int> shape(const Parameter& p) { return {p.shape.begin(), p.shape.begin() + p.rank}; }

}  // namespace

TEST_CASE("parameters have PyTorch's names and shapes") {
  const char* const names[] = {"0.weight", "0.bias", "3.weight",  "3.bias",
                               "8.weight", "8.bias", "11.weight", "11.bias"};
  const std::vector<int> shapes[] = {{10, 1, 5, 5}, {10}, {20, 10, 5, 5}, {20}, {50, 320}, {50}, {10, 50}, {10}};
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(P::parameters[i].name == names[i]);
    CHECK(shape(P::parameters[i]) == shapes[i]);
  }
  CHECK(shape(Program<Grouped>::parameters[0]) == std::vector<int>{6, 2, 3, 2});
  CHECK(Program<Grouped>::parameters[1].name == "2.weight");
}

TEST_CASE("parameters begin on cache lines and are contiguous") {
  check_places<W1>();
  check_places<Grouped>();
  check_places<Nothing>();
}

TEST_CASE("layers and ops have names") {
  CHECK(std::string_view(P::layer_names[4]) == "Dropout2d");
  CHECK(std::string_view(P::ops[4].name) == "dropout2d");
  CHECK(std::string_view(P::ops[11].name) == "LogSoftmax");
}
