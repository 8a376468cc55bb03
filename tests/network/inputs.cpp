// SPDX-License-Identifier: MIT
// Networks with several inputs: what is given for each of them, and how.
#include "sinter/layers/inputs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/io/pack.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/concat.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/layers/take_input.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/network/describe.hpp"
#include "sinter/network/join_inputs.hpp"
#include "sinter/network/summary.hpp"
#include "sinter/network/view.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

struct Flat : Inputs<Named<"picture", Input<2, 5, 7>>, Named<"numbers", Input<3>>, Input<4>> {};
struct Net : Sequential<Flat,
                        Concat<Path<TakeInput<Flat, "picture">, Conv2d<3, 3>, ReLU, Flatten>,
                               Path<TakeInput<Flat, "numbers">, Linear<4>, Tanh>, Path<TakeInput<Flat, 2>>>,
                        Linear<2>> {};
static_assert(Net::InputRow::size == 77 && Flat::index_of<"numbers"> == 1 && Flat::index_of<2> == 2);
static_assert(Flat::index_of<"number"> == -1 && Flat::index_of<3> == -1 && Flat::parts[2].first == 73);

constexpr std::size_t rows = 19;  // two tiles and three single rows
struct Given {
  Tensor<float, Shape<2, 5, 7>> picture = Tensor<float, Shape<2, 5, 7>>(rows);
  Tensor<double, Shape<3>> numbers = Tensor<double, Shape<3>>(rows);
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(rows * 4);
  TensorView<const std::uint8_t, Shape<4>> last;

  Given() {
    const auto fill = [](auto& values, std::size_t factor) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * factor % 1000) / 500 - 1;
    };
    auto pictures = picture.values();
    auto others = numbers.values();
    fill(pictures, 7919);
    fill(others, 79);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
    last = TensorView<const std::uint8_t, Shape<4>>::from(bytes);
  }
};
constexpr Normalize scale = Normalize::pixels(0.5f, 0.25f);

template <class Y>
std::vector<float> values_of(const Y& y) {
  return {y.data, y.data + y.rows * 2};
}

}  // namespace

TEST_CASE("rows are joined in the order of the inputs, each with its scale") {
  const Given given;
  const auto x =
      join_inputs<Net>(named<2>(given.last, scale), named<"picture">(given.picture), named<1>(given.numbers));
  REQUIRE(x.rows() == rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (int i = 0; i < 70; ++i) CHECK(x(row, i) == given.picture.view().row(row)[i]);
    for (int i = 0; i < 3; ++i) CHECK(x(row, 70 + i) == static_cast<float>(given.numbers(row, i)));
    for (int i = 0; i < 4; ++i)
      CHECK(x(row, 73 + i) == doctest::Approx((given.last(row, i) / 255.0 - 0.5) / 0.25).epsilon(1e-6));
  }
  const auto pictures = input_of<Net, "picture">(x);
  static_assert(std::is_same_v<decltype(pictures)::Shape, Shape<2, 5, 7>>);
  CHECK(pictures(3, 1, 4, 2) == given.picture(3, 1, 4, 2));
  CHECK(input_of<Net, 2>(x)(18, 3) == x(18, 76));
}

TEST_CASE("forward reads each input in place, for any number of rows") {
  const Given given;
  const Network<Net> net{{.seed = 1}};
  const auto x = join_inputs<Net>(given.picture, given.numbers, named<2>(given.last, scale));
  auto workspace = net.workspace(rows);
  const auto wanted = values_of(net.forward(x, workspace));
  const auto last = named<2>(given.last, scale);
  CHECK(values_of(net.forward(given.picture, given.numbers, last, workspace)) == wanted);
  CHECK(values_of(net.forward(last, named<"numbers">(given.numbers), named<"picture">(given.picture), workspace)) ==
        wanted);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto y = net.forward(given.picture.view().slice(row, 1), given.numbers.view().slice(row, 1),
                               named<2>(given.last.slice(row, 1), scale), workspace);
    CHECK(y(0, 0) == wanted[2 * row]);
    CHECK(y(0, 1) == wanted[2 * row + 1]);
  }
  const auto all = predict(net, given.picture, given.numbers, last);
  CHECK(std::equal(wanted.begin(), wanted.end(), all.data()));

  static FixedWorkspace<Net, 4> fixed;
  const Unpacked<Net> weights(packed_bytes(net));
  const View<Net> view(weights);
  const auto y = view.forward(given.picture.view().slice(5, 4), given.numbers.view().slice(5, 4),
                              named<2>(given.last.slice(5, 4), scale), fixed);
  CHECK(std::equal(y.data, y.data + 8, wanted.begin() + 10));

  const Network<Net, Reference, Float64> oracle = net;
  auto its = oracle.workspace(rows);
  const auto exact = oracle.forward(given.picture, given.numbers, last, its);
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(exact.data[i] == doctest::Approx(wanted[i]).epsilon(1e-5));
}

TEST_CASE("a picture of pixels with the channels last is read in place") {
  struct Two : Inputs<Named<"picture", Input<3, 4, 5>>, Named<"numbers", Input<2>>> {};
  struct Both
      : Sequential<Two, Concat<Path<TakeInput<Two, "picture">, Conv2d<2, 3>, Flatten>, Path<TakeInput<Two, "numbers">>>,
                   Linear<1>> {};
  std::vector<std::uint8_t> pixels(2 * 60);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 11);
  const TensorView<const std::uint8_t, Shape<3, 4, 5>> last{
      .data = pixels.data(), .rows = 2, .channel_stride = 1, .height_stride = 15, .width_stride = 3};
  const Tensor<float, Shape<2>> numbers{1, 2, 3, 4};
  const auto x = join_inputs<Both>(named<"picture">(last, scale), numbers);
  CHECK(input_of<Both, 0>(x)(1, 2, 3, 1) ==
        doctest::Approx((pixels[60 + 45 + 3 + 2] / 255.0 - 0.5) / 0.25).epsilon(1e-6));
  const Network<Both> net{{.seed = 3}};
  auto workspace = net.workspace(2);
  const float wanted = net.forward(x, workspace)(1, 0);
  CHECK(net.forward(named<"picture">(last, scale), numbers, workspace)(1, 0) == wanted);
}

TEST_CASE("different numbers of rows are an error") {
  const Given given;
  const auto join = [&] {
    join_inputs<Net>(given.picture, given.numbers.view().slice(0, 18), named<2>(given.last, scale));
  };
  CHECK(error_of(join) == "inputs of different numbers of rows were given: 19, 18, 19; give each as many");
}

TEST_CASE("a network learns from two inputs, and each counts") {
  // The sum of a picture with the sign of a number.
  struct Two : Inputs<Named<"picture", Input<1, 4, 4>>, Named<"sign", Input<1>>> {};
  struct Signed
      : Sequential<Two,
                   Concat<Path<TakeInput<Two, "picture">, Conv2d<4, 2>, ReLU, Flatten>, Path<TakeInput<Two, "sign">>>,
                   Linear<16>, ReLU, Linear<2>> {};
  constexpr std::size_t count = 400;
  Tensor<float, Signed::InputRow> x(count);
  const auto pictures = input_of<Signed, "picture">(x);
  const auto signs = input_of<Signed, "sign">(x);
  std::vector<int> labels(count);
  for (std::size_t row = 0; row < count; ++row) {
    float sum = 0;
    for (int i = 0; i < 16; ++i)
      sum += pictures(row, 0, i / 4, i % 4) =
          static_cast<float>((row * 16 + static_cast<std::size_t>(i)) * 7919 % 1000) / 500 - 1;
    signs(row, 0) = row % 2 == 0 ? 1.f : -1.f;
    labels[row] = sum * signs(row, 0) > 0;
  }
  Network<Signed> net{{.seed = 1}};
  fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 50, .epochs = 60});
  CHECK(score(net, dataset(x, labels)) > 0.95);
  for (std::size_t row = 0; row < count; ++row) signs(row, 0) = 0;
  CHECK(score(net, dataset(x, labels)) < 0.8);
}

TEST_CASE("summary and describe show each input") {
  CHECK(summary<Net>() == R"(    #  Layer              Output  Parameters  Multiply-adds
       Input picture      2x5x7
       Input numbers      3
       Input 2            4
    0  Concat             53
0.0.0  TakeInput picture  2x5x7
0.0.1  Conv2d 3, 3x3      3x3x5           57            810
0.0.2  ReLU               3x3x5
0.0.3  Flatten            45
0.1.0  TakeInput numbers  3
0.1.1  Linear 4           4               16             12
0.1.2  Tanh               4
0.2.0  TakeInput 2        4
    1  Linear 2           2              108            106
       Total                             181            928
Bytes: 724 of parameters, 920 of activations per sample
)");
  CHECK(describe(Network<Net>(), 8).find("kernel 1: TakeInput picture") != std::string::npos);
}

TEST_CASE("a single input may have a name") {
  struct Sound : Sequential<Named<"sound", Input<2, 9>>, Flatten, Linear<2>> {};
  CHECK(summary<Sound>().find("Input sound") != std::string::npos);
  const Tensor<float, Shape<2, 9>> x(3);
  CHECK(predict(Network<Sound>(), x).rows() == 3);
}
