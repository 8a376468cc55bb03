// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <sinter/int8/export_header.hpp>
#include <sinter/int8/fixed.hpp>

#include "int8/networks.hpp"
#include "support/allocations.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"

using namespace sinter_test;
namespace int8 = sinter::internal::int8;

namespace {

struct Picture : Sequential<Input<2, 6, 5>, Conv2d<5, 3, Padding<1>>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Tanh, Flatten,
                            Linear<3>> {};
struct Limited : Sequential<Input<7>, Hardtanh<-0.5, 0.5>, Linear<17>, ReLU, Linear<3>> {};

/// The bits of a QuantizedNetwork, from a constant.
template <class Model, class T>
void check_view(const TensorView<const T, typename Model::InputRow>& x, Normalize normalize) {
  const auto quantized = quantize(network_of<Model>(), rows_of<Model>(40));
  const auto constant = int8::stored(*quantized.data(), normalize);
  const QuantizedView<Model> view(constant);
  static QuantizedWorkspace<Model, 7> workspace;
  auto other = quantized.workspace(x.rows);
  const auto wanted = quantized.forward(x, other, normalize);
  std::vector<float> y;
  CHECK(counted::allocations_in([&] { view.forward(x.slice(0, 7), workspace); }) == 0);
  for (std::size_t i = 0; i < x.rows; i += 7) {
    const auto some = view.forward(x.slice(i, std::min<std::size_t>(7, x.rows - i)), workspace);
    y.insert(y.end(), some.data, some.data + some.rows * static_cast<std::size_t>(view.output_size));
  }
  CHECK(same_bits(y, {wanted.data, wanted.data + y.size()}));
  const auto one = view.forward(
      std::span<const T, static_cast<std::size_t>(view.input_size)>(x.data, static_cast<std::size_t>(view.input_size)),
      workspace);
  CHECK(same_bits({one.begin(), one.end()}, {wanted.data, wanted.data + one.size()}));
}

}  // namespace

TEST_CASE("a view of a constant has the bits of the network") {
  auto x = rows_of<Picture>(23, 9);
  for (float& one : x.values()) one *= 1.3f;
  check_view<Picture, float>(x.view(), {});
  check_view<Picture, float>(x.view(), {.scale = 0.7f, .shift = 0.2f});
  const auto numbers = rows_of<Limited>(16, 3);
  check_view<Limited, float>(numbers.view(), {});
  Tensor<std::uint8_t, Picture::InputRow> bytes(9);
  for (std::size_t i = 0; i < bytes.values().size(); ++i) bytes.values()[i] = static_cast<std::uint8_t>(i * 37);
  check_view<Picture, std::uint8_t>(bytes.view(), {.scale = 0.0078125f, .shift = -1});
}

TEST_CASE("inputs become the same 8 bits by a table as by sums in double") {
  std::uint32_t seed = 1;
  const auto any = [&](double low, double high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (seed >> 8) / 16777216.0;
  };
  for (int i = 0; i < 40; ++i) {
    const auto q = int8::Quantization::of_range(-std::exp(any(-9, 9)), i % 3 ? std::exp(any(-9, 9)) : 0);
    const Normalize normalize{static_cast<float>(std::exp(any(-9, 9))), static_cast<float>(any(-2, 2))};
    const int8::Limits limits = i % 4 ? int8::Limits{} : int8::Limits{-0.5, 0.5};
    const int8::ScaledInput exact(q, limits, normalize);
    const int8::InputTable table = int8::input_table(exact, normalize);
    bool same = true;
    const auto check = [&](float x) { same = same && exact(x) == table(x); };
    for (const float x : {0.0f, -0.0f, INFINITY, -INFINITY, std::nanf(""), 3e38f, -3e38f}) check(x);
    for (std::int32_t k = table.low; k < table.high; ++k) {
      const float least = table.least[static_cast<std::size_t>(k)];
      check(least);
      check(std::nextafterf(least, -INFINITY));
      check(std::nextafterf(least, INFINITY));
      same = same && exact(least) > k && exact(std::nextafterf(least, -INFINITY)) <= k;
    }
    for (int k = 0; k < 1000; ++k) check(static_cast<float>(any(-300, 300) / exact.factor));
    CHECK(same);
  }
}

TEST_CASE("the text of a header") {
  struct Tiny : Sequential<Input<2>, Linear<1>> {};
  const auto quantized = quantize(network_of<Tiny>(), rows_of<Tiny>(9));
  const std::string text = header_text(quantized, {.name = "tiny"});
  CHECK(
      text.starts_with("// Made by sinter's export_header from a quantized network of 3 parameters.\n#pragma once\n\n"
                       "#include <cstdint>\n#include <sinter/int8/fixed.hpp>\n\n"
                       "inline constexpr sinter::StoredQuantized<"));
  CHECK(text.find("u, 1, 64, 32, 0, 1, 2> tiny{{{\n") != text.npos);
  CHECK(text.find("}}, {}, {{\n{{") != text.npos);
}

TEST_CASE("bad input") {
  const auto quantized = quantize(network_of<Limited>(), rows_of<Limited>(9));
  CHECK(error_of([&] { header_text(quantized, {.normalize = {.scale = -2}}); }) ==
        "export_header was given a normalize with scale -2 and shift 0; give a positive scale, such as "
        "Normalize::pixels(mean, deviation), by which floats stay finite");
  CHECK(error_of([&] {
          header_text(quantized, {.normalize = {.shift = NAN}});
        }).starts_with("inputs were to be scaled by Normalize{.scale = 1, .shift = nan}, expected finite numbers"));
  CHECK(error_of([&] { header_text(quantized, {.name = "1st"}); }) ==
        "\"1st\" was given as the name of a constant; give one of letters, digits and _ that C++ does not have, such "
        "as lenet_weights");
  const auto constant = int8::stored(*quantized.data(), {});
  const QuantizedView<Limited> view(constant);
  static QuantizedWorkspace<Limited, 2> workspace;
  const auto x = rows_of<Limited>(3);
  CHECK(has(last_words_of([&] { view.forward(x.view(), workspace); }),
            "forward was given 3 rows and a workspace for 2; make a larger workspace"));
}
