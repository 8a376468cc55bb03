// SPDX-License-Identifier: MIT
// labels: large processor change
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/gradient_check.hpp"
#include "support/safetensors.hpp"
#include "support/sanitized.hpp"
#include "support/w1.hpp"

using namespace sinter;
using sinter_test::Digits;
using sinter_test::norm_error, sinter_test::Safetensors, sinter_test::WorstError;

// W1 against PyTorch: outputs, losses, gradients, and ten steps of each optimizer (tests/fixtures/README.md).
namespace {

Safetensors fixture(const std::string& name) {
  return Safetensors(std::string(SINTER_FIXTURES) + "/w1_" + name + ".safetensors");
}

/// Batch a is images 0..15 of the balanced subset, batch b images 16..22.
struct Batches {
  const Mnist mnist = read_mnist(SINTER_MNIST_SUBSET);
  auto batch(char which) const { return which == 'a' ? subset(mnist.train, 0, 16) : subset(mnist.train, 16, 7); }
  static std::vector<std::uint32_t> rows(char which) {
    std::vector<std::uint32_t> all(which == 'a' ? 16 : 7);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    return all;
  }
};
const Batches mnist_batches;

template <bool Masked, class Device, class Precision>
Network<Digits<Masked>, Device, Precision> initial(int threads) {
  Network<Digits<Masked>, Device, Precision> net;
  if constexpr (requires { Device{.threads = threads}; })
    net = Network<Digits<Masked>, Device, Precision>(Device{.threads = threads}, {.seed = 1});
  const Safetensors from = fixture("initial");
  for (auto& p : net.parameters()) {
    const auto values = from.values<typename Precision::Scalar>(std::string(p.name));
    REQUIRE(values.size() == p.value.size());
    std::copy(values.begin(), values.end(), p.value.begin());
  }
  return net;
}

/// The tensors of a fixture by name against those of a network, as many leading numbers as the fixture holds.
template <class Net>
WorstError compare(Net& net, const Safetensors& want, bool gradients) {
  WorstError worst;
  for (auto& p : net.parameters()) {
    const auto numbers = want.values<double>(std::string(p.name));
    const auto& from = gradients ? p.gradient : p.value;
    REQUIRE(from.size() >= numbers.size());
    worst.add(std::string(p.name),
              norm_error(std::vector<double>(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(numbers.size())),
                         numbers));
  }
  return worst;
}
void expect(const WorstError& worst, double most) {
  CAPTURE(worst.tensor);
  CHECK(worst.error < most);
}

template <bool Masked, class Device, class Precision>
void check_gradients(const std::string& prefix, double most, int threads = 1) {
  for (const char which : {'a', 'b'}) {
    CAPTURE(which);
    const Safetensors want = fixture(prefix + "gradients_" + which);
    auto net = initial<Masked, Device, Precision>(threads);
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0}};
    if (which == 'b' && Masked) trainer.step(mnist_batches.batch('a'));  // the masks of batch b are those of step 1
    const double loss = static_cast<double>(trainer.accumulate(mnist_batches.batch(which)));
    CHECK(norm_error(std::vector{loss}, want.values<double>("loss")) < most);
    expect(compare(net, want, true), most);
    if constexpr (!Masked) {
      const auto y = predict(net, mnist_batches.batch(which));
      CHECK(norm_error(y.values(), want.values<double>("output")) < most);
    }
  }
}

template <bool Masked, class Device, class Precision>
void check_steps(const std::string& name, const auto& optimizer, double most, int threads = 1) {
  const Safetensors want = fixture(name);
  auto net = initial<Masked, Device, Precision>(threads);
  Trainer trainer{net, NLLLoss{}, optimizer};
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step)
    losses.push_back(static_cast<double>(trainer.step(mnist_batches.batch(step % 2 == 0 ? 'a' : 'b'))));
  CHECK(norm_error(losses, want.values<double>("losses")) < most);
  expect(compare(net, want, false), most);
}
constexpr SGD momentum{.lr = 0.01, .momentum = 0.5};
constexpr SGD nesterov{.lr = 0.01, .momentum = 0.9, .weight_decay = 5e-4, .nesterov = true};
constexpr Adam adam{.lr = 1e-3};

}  // namespace

TEST_CASE("the images are those of the fixtures") {
  const Safetensors want = fixture("batches");
  for (const char which : {'a', 'b'}) {
    const auto data = mnist_batches.batch(which);
    const auto labels = want.values<int>(std::string(1, which) + ".labels");
    const auto sums = want.values<double>(std::string(1, which) + ".pixel_sums");
    REQUIRE(labels.size() == data.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      CHECK(int{data.targets()[i]} == labels[i]);
      double sum = 0;
      for (int k = 0; k < 784; ++k) sum += data.inputs().row(i)[k];
      CHECK(sum == sums[i]);
    }
  }
}

TEST_CASE_TEMPLATE("outputs, losses and gradients", Precision, Float32, Float64) {
  const double most = std::is_same_v<Precision, Float32> ? 1e-5 : 1e-6;
  check_gradients<false, Host, Precision>("", most);
  check_gradients<true, Host, Precision>("masked_", most, 3);
}
TEST_CASE_TEMPLATE("ten steps", Precision, Float32, Float64) {
  const double most = std::is_same_v<Precision, Float32> ? 1e-5 : 1e-6;
  SUBCASE("momentum") { check_steps<false, Host, Precision>("momentum", momentum, most); }
  SUBCASE("Nesterov and weight decay") { check_steps<false, Host, Precision>("nesterov", nesterov, most, 2); }
  SUBCASE("Adam") { check_steps<false, Host, Precision>("adam", adam, most); }
  SUBCASE("momentum with masks") { check_steps<true, Host, Precision>("masked_momentum", momentum, most, 3); }
}
// Sanitizers see the reference with this network in kernels/reference.
TEST_CASE("the reference" * doctest::skip(sinter_test::sanitized)) {
  check_gradients<false, Reference, Float64>("", 1e-6);
  check_gradients<true, Reference, Float64>("masked_", 1e-6);
  check_steps<false, Reference, Float64>("momentum", momentum, 1e-6);
  check_steps<true, Reference, Float32>("masked_momentum", momentum, 1e-5);
}
