// SPDX-License-Identifier: MIT
#include "sinter/layers/conv1d.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sinter/core/tensor.hpp"
#include "sinter/layers/batch_norm.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool1d.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<Conv1d<4, 3>> && Layer<MaxPool1d<2>> && Layer<AdaptiveAvgPool1d<1>>);
static_assert(detail::output_of<Conv1d<4, 3>>(series(2, 10)) == series(4, 8));
static_assert(detail::output_of<Conv1d<4, 3, Stride<2>, Padding<1>, Dilation<2>>>(series(2, 10)) == series(4, 4));
static_assert(detail::output_of<Conv1d<4, 3, Causal>>(series(2, 10)) == series(4, 10));
static_assert(detail::output_of<Conv1d<4, 3, Causal, Dilation<16>>>(series(2, 10)) == series(4, 10));
static_assert(detail::output_of<Conv1d<4, 3, Causal, Stride<4>>>(series(2, 10)) == series(4, 3));
static_assert(detail::output_of<MaxPool1d<3, Stride<2>, Padding<1>>>(series(2, 10)) == series(2, 5));
static_assert(detail::output_of<AdaptiveAvgPool1d<4>>(series(2, 10)) == series(2, 4));
static_assert(detail::output_of<AdaptiveMaxPool1d<4>>(series(2, 10)) == series(2, 4));
static_assert(!AdaptiveMaxPool1d<1>::accepts(series(1, 65537)) && !AdaptiveMaxPool1d<1>::accepts(image(1, 2, 2)));
static_assert(Conv1d<4, 3>::accepts(series(2, 3)) && !Conv1d<4, 3>::accepts(series(2, 2)));
static_assert(!Conv1d<4, 1>::accepts(features(8)) && !Conv1d<4, 1>::accepts(image(2, 1, 8)));
static_assert(BatchNorm1d<>::accepts(series(2, 3)) && !Linear<2>::accepts(series(2, 3)));

static_assert(Input<2, 100>::Shape::dims == series(2, 100));
static_assert(std::is_same_v<shape_of<series(2, 100)>, Shape<2, 100>>);

struct Net : Sequential<Input<2, 100>, Conv1d<8, 3, Causal, Dilation<2>>, BatchNorm1d<>, MaxPool1d<2>,
                        Conv1d<4, 5, Stride<2>>, AdaptiveAvgPool1d<1>, Flatten, Linear<3>> {};

}  // namespace

TEST_CASE("weights of Conv1d have PyTorch's shape") {
  CHECK(Program<Net>::parameters[0].name == "0.weight");
  CHECK(Program<Net>::parameters[0].rank == 3);
  CHECK(Program<Net>::parameters[0].shape[1] == 2);
  CHECK(Program<Net>::parameters[0].shape[2] == 3);
  CHECK(Program<Net>::parameters[0].fan_in == 6);
}

TEST_CASE("a summary of series") {
  const std::string text(summary<Net>());
  CAPTURE(text);
  CHECK(text.find("Conv1d 8, 3, causal, dilation 2") != std::string::npos);
  CHECK(text.find("Conv1d 4, 5, stride 2") != std::string::npos);
  CHECK(text.find("MaxPool1d 2") != std::string::npos);
  CHECK(text.find("AdaptiveAvgPool1d to 1") != std::string::npos);
  CHECK(text.find("8x100") != std::string::npos);
}

TEST_CASE("a tensor of series is asked for a row, a channel and a place") {
  Tensor<float, Shape<2, 3>> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  CHECK(x.rows() == 2);
  CHECK(x(1, 0, 2) == 9);
  CHECK(x(0, 1, 1) == 5);
}
