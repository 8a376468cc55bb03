// SPDX-License-Identifier: MIT
#include "sinter/network/summary.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/dropout.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/group_norm.hpp"
#include "sinter/layers/highway.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/layers/residual.hpp"
#include "sinter/layers/shared.hpp"
#include "sinter/layers/slice.hpp"
#include "sinter/network/network.hpp"
#include "support/w1.hpp"

using namespace sinter::internal;
using sinter_test::W1;

namespace {

struct WithOptions : Sequential<Input<4, 9, 30>, Conv2d<8, Kernel<3, 5>, Stride<2>, Padding<1, 0>, Groups<2>, NoBias>,
                                AvgPool2d<3, Stride<2>, Padding<1>>, Conv2d<2, 2, Dilation<2, 1>>, Dropout<0.125>,
                                Flatten, Linear<3, NoBias>> {};

struct Nothing : Sequential<Input<5>> {};

/// A layer of two products.
template <int Inner, int Out>
struct LowRank {
  static constexpr const char* name = "LowRank";
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<MatMul<Inner, false>, MatMul<Out, true>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }
};
struct OfUser : Sequential<Input<6>, LowRank<2, 3>, Tanh> {};

static_assert(summary_of<W1>.parameters == 21840);
static_assert(summary_of<W1>.multiply_adds == 24 * 24 * 10 * 25 + 8 * 8 * 20 * 250 + 320 * 50 + 50 * 10);
static_assert(summary_of<W1>.parameter_bytes == 4 * 21840);
static_assert(summary_of<W1>.activation_bytes ==
              4 * (5760 + 2 * 1440 + 2 * 1280 + 2 * 320 + 3 * 50 + 2 * 10));  // Flatten makes no value
static_assert(summary_of<Network<W1>>.parameter_bytes == 4 * 21840);
static_assert(summary_of<Network<W1, Host, Float64>>.parameter_bytes == 8 * 21840);
static_assert(summary_of<Network<W1, Host, Float64>>.activation_bytes == 2 * summary_of<W1>.activation_bytes);
static_assert(summary_of<Nothing>.parameters == 0 && summary_of<Nothing>.activation_bytes == 0);
static_assert(summary<W1>().starts_with(" #  Layer"));  // a constant expression

}  // namespace

TEST_CASE("the table of W1, character by character") {
  CHECK(summary<W1>() == R"( #  Layer           Output    Parameters  Multiply-adds
    Input           1x28x28
 0  Conv2d 10, 5x5  10x24x24         260        144,000
 1  MaxPool2d 2x2   10x12x12
 2  ReLU            10x12x12
 3  Conv2d 20, 5x5  20x8x8         5,020        320,000
 4  Dropout2d 0.5   20x8x8
 5  MaxPool2d 2x2   20x4x4
 6  ReLU            20x4x4
 7  Flatten         320
 8  Linear 50       50            16,050         16,000
 9  ReLU            50
10  Dropout 0.5     50
11  Linear 10       10               510            500
12  LogSoftmax      10
    Total                         21,840        480,500
Bytes: 87,360 of parameters, 48,040 of activations per sample
)");
}

TEST_CASE("options that are not as usual are named") {
  CHECK(summary<WithOptions>() ==
        R"(#  Layer                                                    Output  Parameters  Multiply-adds
   Input                                                    4x9x30
0  Conv2d 8, 3x5, stride 2, padding 1x0, groups 2, no bias  8x5x13         240         15,600
1  AvgPool2d 3x3, stride 2, padding 1                       8x3x7
2  Conv2d 2, 2x2, dilation 2x1                              2x1x6           66            384
3  Dropout 0.125                                            2x1x6
4  Flatten                                                  12
5  Linear 3, no bias                                        3               36             36
   Total                                                                   342         16,020
Bytes: 1,368 of parameters, 2,860 of activations per sample
)");
}

TEST_CASE("groups are named") {
  struct Normalised : Sequential<Input<6>, LayerNorm<>, GroupNorm<2>> {};
  CHECK(summary<Normalised>() == R"(#  Layer        Output  Parameters  Multiply-adds
   Input        6
0  LayerNorm    6               12
1  GroupNorm 2  6               12
   Total                        24              0
Bytes: 96 of parameters, 48 of activations per sample
)");
}

TEST_CASE("a layer of several ops names the options of each") {
  CHECK(summary<OfUser>() == R"(#  Layer                  Output  Parameters  Multiply-adds
   Input                  6
0  LowRank 2, no bias; 3  3               21             18
1  Tanh                   3
   Total                                  21             18
Bytes: 84 of parameters, 32 of activations per sample
)");
}

TEST_CASE("layers inside others have rows of their own, which begin as the names of their parameters") {
  struct Branches
      : Sequential<Input<2, 8, 8>,
                   Residual<Path<Conv2d<4, 3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, ReLU>,
                            Shortcut<Conv2d<4, 1, Stride<2>>>>,
                   Concat<Path<>, Path<Path<Conv2d<3, 1>>, Tanh>>, Flatten, Highway<Path<Tanh>, Path<Linear<112>>>> {};
  CHECK(summary<Branches>() ==
        R"(            #  Layer                                        Output  Parameters  Multiply-adds
               Input                                        2x8x8
            0  Residual                                     4x4x4
     0.path.0  Conv2d 4, 3x3, stride 2, padding 1, no bias  4x4x4           72          1,152
     0.path.1  BatchNorm2d                                  4x4x4            8
     0.path.2  ReLU                                         4x4x4
 0.shortcut.0  Conv2d 4, 1x1, stride 2                      4x4x4           12            128
            1  Concat                                       7x4x4
        1.1.0  Path                                         3x4x4
      1.1.0.0  Conv2d 3, 1x1                                3x4x4           15            192
        1.1.1  Tanh                                         3x4x4
            2  Flatten                                      112
            3  Highway                                      112
3.transform.0  Tanh                                         112
     3.gate.0  Linear 112                                   112         12,656         12,544
               Total                                                    12,763         14,016
Bytes: 51,052 of parameters, 5,280 of activations per sample
)");
  std::string text(summary<Branches>());
  for (const auto& parameter : Program<Branches>::parameters) {
    const std::string name(parameter.name.substr(0, parameter.name.rfind('.')));
    CHECK_MESSAGE(text.find(name + "  ") != text.npos, name);
  }
}

TEST_CASE("weights in several places are counted in the first") {
  struct Tower : Shared<Linear<3>, Tanh> {};
  struct Siamese : Sequential<Input<4>, Concat<Path<Slice<0, 2>, Tower>, Path<Slice<2, 2>, Tower>>> {};
  CHECK(summary<Siamese>() == R"(      #  Layer     Output  Parameters  Multiply-adds
         Input     4
      0  Concat    6
  0.0.0  Slice     2
  0.0.1  Shared    3
0.0.1.0  Linear 3  3                9              6
0.0.1.1  Tanh      3
  0.1.0  Slice     2
  0.1.1  Shared    3
0.1.1.0  Linear 3  3                               6
0.1.1.1  Tanh      3
         Total                      9             12
Bytes: 36 of parameters, 88 of activations per sample
)");
}

TEST_CASE("of a network: the same table with the bytes of its numbers") {
  const std::string_view in_double = summary<Network<W1, Host, Float64>>();
  CHECK(in_double.ends_with("Bytes: 174,720 of parameters, 96,080 of activations per sample\n"));
  CHECK(summary<Network<W1>>() == summary<W1>());
}

TEST_CASE("a model without layers") {
  CHECK(summary<Nothing>() ==
        "#  Layer  Output  Parameters  Multiply-adds\n   Input  5\n   Total                   0              0\n"
        "Bytes: 0 of parameters, 0 of activations per sample\n");
}
