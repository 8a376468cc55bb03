// SPDX-License-Identifier: MIT
// labels: large
// Rows of integers as targets of themselves: scaled as the inputs are, and so the same as floats that were scaled before.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Autoencoder : Sequential<Input<1, 3, 4>, Flatten, Linear<5>, Tanh, Linear<12>, Reshape<1, 3, 4>> {};
constexpr std::size_t rows = 19;
constexpr Normalize scale = Normalize::pixels(0.4f, 0.3f);

/// All that a training tells: losses of epochs, of steps and of an evaluation, and the weights.
template <class Device, class Precision, class D>
std::vector<double> results_of(const D& data) {
  Network<Autoencoder, Device, Precision> net{{.seed = 4}};
  std::vector<double> all;
  for (const auto& epoch :
       fit(net, data, MSELoss{}, Adam{.lr = 0.01}, {.batch_size = 8, .epochs = 3, .validation = &data}).epochs) {
    all.push_back(epoch.train_loss);
    all.push_back(epoch.validation_loss);
  }
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  all.push_back(static_cast<double>(trainer.step(subset(data, 3, 9))));
  for (const auto& batch : batches(data, {.batch_size = 6})) all.push_back(static_cast<double>(trainer.step(batch)));
  const auto parts = random_split(data, 0.3, 1);
  all.push_back(evaluate(net, parts.held_out, MSELoss{}).loss);
  all.insert(all.end(), net.data(), net.data() + Program<Autoencoder>::arena_size);
  return all;
}

template <class Integer, class Device, class Precision>
void check() {
  using T = typename Precision::Scalar;
  Draw draw(3);
  std::vector<Integer> integers;
  std::vector<T> scaled;
  for (std::size_t i = 0; i < rows * 12; ++i) {
    integers.push_back(static_cast<Integer>(draw.below(256)));
    scaled.push_back(
        sinter::fn::fma(static_cast<T>(integers[i]), static_cast<T>(scale.scale), static_cast<T>(scale.shift)));
  }
  const auto x = TensorView<const Integer, Shape<1, 3, 4>>::from(integers);
  const auto y = TensorView<const T, Shape<1, 3, 4>>::from(scaled);
  const auto got = results_of<Device, Precision>(dataset(x, x, scale)),
             want = results_of<Device, Precision>(dataset(y, y));
  CHECK(want[4] < want[0]);
  CHECK(same(got, want));
  const Network<Autoencoder, Device, Precision> net{{.seed = 4}};
  CHECK(regression(net, dataset(x, x, scale)).r2 == doctest::Approx(regression(net, dataset(y, y)).r2));
  // Other rows of the same type, wherever they are: here the inputs of the next row.
  const auto next = results_of<Device, Precision>(dataset(x.slice(0, rows - 1), x.slice(1, rows - 1), scale));
  CHECK(same(next, results_of<Device, Precision>(dataset(y.slice(0, rows - 1), y.slice(1, rows - 1)))));
}

}  // namespace

TEST_CASE("bytes that are learned from themselves, on the host") {
  check<std::uint8_t, Host, Float32>();
  check<std::uint8_t, Host, Float64>();
  check<std::int16_t, Host, Float32>();
}
TEST_CASE("bytes that are learned from themselves, on the reference") { check<std::int8_t, Reference, Float64>(); }
