// SPDX-License-Identifier: MIT
// labels: large
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/problem.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Small
    : Sequential<Input<3, 6, 5>, Conv2d<4, 3, Padding<1>>, ReLU, MaxPool2d<2>, Flatten, Linear<5>, LogSoftmax> {};
struct Rows : Sequential<Input<9>, Linear<6>, Tanh, Linear<2>> {};
constexpr std::size_t count = 19;  // whole tiles, a ragged one, and rows that go one by one

template <class T>
std::vector<T> values_of(const auto& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}
const std::vector<int> labels = [] {
  Draw draw(3);
  std::vector<int> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<int>(draw.below(5)));
  return all;
}();
/// Whole numbers, which every type holds.
std::vector<std::uint8_t> bytes(std::size_t n) {
  Draw draw(7);
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(static_cast<std::uint8_t>(draw.below(256)));
  return all;
}
template <class T>
std::vector<T> as(const std::vector<std::uint8_t>& from) {
  return {from.begin(), from.end()};
}

}  // namespace

TEST_CASE_TEMPLATE("bytes, floats and doubles that are the same numbers give the same bits", Precision, Float32,
                   Float64) {
  using T = typename Precision::Scalar;
  using Row = typename Small::InputRow;
  const Network<Small, Host, Precision> net{Host{.threads = 2}, {.seed = 2}};
  const std::vector<std::uint8_t> u8 = bytes(count * Row::size);
  const std::vector<float> f32 = as<float>(u8);
  const std::vector<double> f64 = as<double>(u8);
  const auto normalize = Normalize::pixels(0.25f, 0.5f);
  const auto outputs = [&](const auto& x) {
    using X = typename std::remove_cvref_t<decltype(x)>::value_type;
    const auto data = dataset(TensorView<const X, Row>{x.data(), count}, labels, normalize);
    return values_of<T>(predict(net, data));
  };
  const auto want = outputs(f32);
  CHECK(same(outputs(u8), want));
  CHECK(same(outputs(f64), want));

  // Normalised beforehand.
  std::vector<T> plain;
  for (const auto b : u8)
    plain.push_back(
        sinter::fn::fma(static_cast<T>(b), static_cast<T>(normalize.scale), static_cast<T>(normalize.shift)));
  CHECK(same(values_of<T>(predict(net, dataset(TensorView<const T, Row>{plain.data(), count}, labels))), want));
}

TEST_CASE_TEMPLATE("integers with a sign, scaled, give the bits of the floats that they are", Integer, std::int8_t,
                   std::int16_t) {
  using Row = typename Small::InputRow;
  std::vector<Integer> integers{std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max(), -1, 0};
  Draw draw(11);
  while (integers.size() < count * Row::size)
    integers.push_back(static_cast<Integer>(static_cast<int>(draw.below(65536)) - 32768));
  const std::vector<float> floats(integers.begin(), integers.end());
  const auto normalize = Normalize::values(3, std::numeric_limits<Integer>::max());
  const auto outputs = [&](const auto& device, auto precision, const auto& x) {
    using X = typename std::remove_cvref_t<decltype(x)>::value_type;
    using Device = std::remove_cvref_t<decltype(device)>;
    Network<Small, Device, decltype(precision)> net{device, {.seed = 2}};
    // Row by row, with the channels last, and what training makes of them.
    const auto data = dataset(TensorView<const X, Row>{x.data(), count}, labels, normalize);
    auto all = values_of<double>(predict(net, data));
    const auto add = [&](const auto& more) { all.insert(all.end(), more.values().begin(), more.values().end()); };
    add(predict(net, TensorView<const X, Row>{x.data(), count, Row::size, 1, 15, 3}, normalize));
    add(predict(net, subset(data, 3, 1)));
    auto workspace = net.workspace(1);
    all.push_back(static_cast<double>(net.forward(subset(data, 4, 1), workspace)(0, 1)));
    all.push_back(fit(net, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 7, .epochs = 2}).epochs[1].train_loss);
    all.insert(all.end(), net.data(), net.data() + Program<Small>::arena_size);
    return all;
  };
  CHECK(same(outputs(Host{}, Float32{}, integers), outputs(Host{}, Float32{}, floats)));
  CHECK(same(outputs(Host{}, Float64{}, integers), outputs(Host{}, Float64{}, floats)));
  CHECK(same(outputs(Reference{}, Float64{}, integers), outputs(Reference{}, Float64{}, floats)));
}

TEST_CASE_TEMPLATE("fractions of another type are converted, not cut", Precision, Float32, Float64) {
  using T = typename Precision::Scalar;
  const Network<Rows, Host, Precision> net;
  Draw draw(4);
  std::vector<float> f32;
  for (std::size_t i = 0; i < count * 9; ++i) f32.push_back(static_cast<float>(draw.symmetric(1)));
  const std::vector<double> f64(f32.begin(), f32.end());
  const auto outputs = [&](const auto& x) {
    using X = typename std::remove_cvref_t<decltype(x)>::value_type;
    return values_of<T>(predict(net, dataset(TensorView<const X, Shape<9>>{x.data(), count}, labels, Normalize{})));
  };
  CHECK(same(outputs(f32), outputs(f64)));
}

TEST_CASE("views with strides: channels last, rows of a wider table, upside down, every second row") {
  using Row = typename Small::InputRow;
  constexpr int C = 3, H = 6, W = 5;
  const Network<Small> net;
  const auto u8 = bytes(count * Row::size);
  const auto plain = values_of<float>(
      predict(net, dataset(TensorView<const std::uint8_t, Row>{u8.data(), count}, labels, Normalize{})));

  std::vector<std::uint8_t> last(u8.size()), flipped(u8.size()), wide(count * 2 * 100, 77);
  for (std::size_t n = 0; n < count; ++n)
    for (int c = 0; c < C; ++c)
      for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
          const auto from = n * Row::size + static_cast<std::size_t>((c * H + y) * W + x);
          last[n * Row::size + static_cast<std::size_t>((y * W + x) * C + c)] = u8[from];
          flipped[n * Row::size + static_cast<std::size_t>((c * H + H - 1 - y) * W + x)] = u8[from];
          wide[n * 200 + static_cast<std::size_t>((c * H + y) * W + x)] = u8[from];
        }
  const auto outputs = [&](TensorView<const std::uint8_t, Row> view) {
    return values_of<float>(predict(net, dataset(view, labels, Normalize{})));
  };
  CHECK(same(outputs({last.data(), count, Row::size, 1, W * C, C}), plain));
  CHECK(same(outputs({flipped.data() + (H - 1) * W, count, Row::size, H * W, -W, 1}), plain));
  CHECK(same(outputs({wide.data(), count, 200}), plain));

  // Training reads the same.
  const auto weights_after = [&](TensorView<const std::uint8_t, Row> view) {
    Network<Small> trained;
    fit(trained, dataset(view, labels, Normalize::pixels(0.5f, 0.5f)), NLLLoss{}, SGD{.lr = 0.1},
        {.batch_size = 7, .epochs = 2});
    return std::vector<float>(trained.data(), trained.data() + Program<Small>::arena_size);
  };
  CHECK(same(weights_after({last.data(), count, Row::size, 1, W * C, C}), weights_after({u8.data(), count})));
  CHECK(same(weights_after({wide.data(), count, 200}), weights_after({u8.data(), count})));
}

TEST_CASE_TEMPLATE("labels of any integer type", Label, signed char, unsigned char, short, unsigned short, int,
                   unsigned, long, unsigned long, long long, unsigned long long) {
  using Row = typename Small::InputRow;
  const auto x = as<float>(bytes(count * Row::size));
  const TensorView<const float, Row> rows{x.data(), count};
  const auto weights_after = [&](const auto& given) {
    Network<Small> net;
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 1e-4}};
    trainer.step(rows, given);
    trainer.step(rows, given);
    CHECK(evaluate(net, dataset(rows, given), NLLLoss{}).accuracy == score(net, dataset(rows, given)));
    return std::vector<float>(net.data(), net.data() + Program<Small>::arena_size);
  };
  CHECK(same(weights_after(std::vector<Label>(labels.begin(), labels.end())), weights_after(labels)));
}

TEST_CASE("rows of targets may be strided and of another type") {
  Draw draw(6);
  std::vector<float> x, wanted, wide(count * 8, 9.f);
  for (std::size_t i = 0; i < count * 9; ++i) x.push_back(static_cast<float>(draw.symmetric(1)));
  for (std::size_t i = 0; i < count * 2; ++i) wanted.push_back(static_cast<float>(draw.symmetric(1)));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 2; ++k) wide[i * 8 + 3 * k] = wanted[i * 2 + k];
  const std::vector<double> f64(wanted.begin(), wanted.end());
  const TensorView<const float, Shape<9>> rows{x.data(), count};
  const auto result = [&](auto targets) {
    Network<Rows> net;
    Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
    std::vector<float> all{trainer.step(rows, targets), trainer.step(rows, targets)};
    trainer.clear();
    trainer.backward(rows, targets);
    trainer.update();
    all.push_back(static_cast<float>(evaluate(net, dataset(rows, targets), MSELoss{}).loss));
    all.insert(all.end(), net.data(), net.data() + Program<Rows>::arena_size);
    return all;
  };
  const auto want = result(TensorView<const float, Shape<2>>{wanted.data(), count});
  CHECK(same(result(TensorView<const float, Shape<2>>{wide.data(), count, 8, 3}), want));
  CHECK(same(result(TensorView<const double, Shape<2>>{f64.data(), count}), want));
}
