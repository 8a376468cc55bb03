// SPDX-License-Identifier: MIT
// labels: threads large sanitized
// A network as a function of one row: the bits of forward, without allocation, by many threads; its gradient.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/allocations.hpp"

using namespace sinter;

namespace {

struct Small : Sequential<Input<3>, Linear<7>, ReLU, Linear<6>, Tanh, Linear<4>> {};
struct Distance : Sequential<Input<3>, Linear<32>, SiLU, Linear<32>, SiLU, Linear<1>> {};
struct Classes : Sequential<Input<5>, Linear<33>, GELU, LayerNorm<>, Dropout<0.5>, Linear<10>, LogSoftmax> {};
struct Images : Sequential<Input<2, 12, 11>, Conv2d<4, 3, Padding<1>>, Dropout2d<0.5>, MaxPool2d<2>, ReLU,
                           Conv2d<6, 3, Groups<2>>, AvgPool2d<2>, Flatten, Linear<5>> {};
struct Normalized : Sequential<Input<6>, Linear<8>, BatchNorm1d<>, ReLU, Linear<3>, Softmax> {};
struct Branches : Sequential<Input<4>, Linear<16>, Residual<Path<Linear<16>, Sigmoid, Linear<16>>>, PReLU<>,
                             Highway<Path<Linear<16>, Tanh>, Path<Linear<16>>>, Linear<2>> {};
struct Words : Sequential<Input<6>, Embedding<9, 4, ChannelsFirst>, Conv1d<5, 3>, ELU<>, Flatten, Linear<5>> {};
struct Headed : Sequential<Input<3>, Linear<7>, Tanh, Heads<Path<Linear<4>>, Path<Linear<5>, Tanh, Linear<2>>>> {};
struct Single : Sequential<Input<1>, Linear<1>> {};

template <class Net>
auto rows_for(std::size_t rows, bool whole = false) {
  Tensor<typename Net::Scalar, typename Net::InputRow> x(rows);
  for (std::size_t i = 0; i < x.values().size(); ++i) {
    const double v = 2 * std::sin(1.7 * static_cast<double>(i + 1));
    x.data()[i] = static_cast<typename Net::Scalar>(whole ? std::floor(2 * v + 4) : i % 11 == 3 ? -0.0 : v);
  }
  return x;
}

template <class Model, class Precision = Float32, bool ToRounding = false>
void check_bits(bool whole = false) {
  using Net = Network<Model, Host, Precision>;
  Net net{{.seed = 3}};
  for (auto& buffer : net.buffers())
    for (std::size_t k = 0; k < buffer.value.size(); ++k)
      buffer.value[k] = static_cast<typename Net::Scalar>(0.5 + 0.1 * static_cast<double>(k));
  const auto x = rows_for<Net>(37, whole);
  const auto differ = [](auto a, auto b) {
    return ToRounding ? !(std::abs(a - b) < 1e-6) : std::memcmp(&a, &b, sizeof a) != 0;
  };
  auto workspace = net.workspace(37);
  for (const Normalize normalize : {Normalize{}, Normalize{0.75f, 0.5f}}) {
    if (whole && normalize != Normalize{}) continue;
    const auto y = net.forward(x.view(), workspace, normalize);
    const auto f = net.function(normalize);
    static_assert(std::is_trivially_copyable_v<decltype(f)>);
    std::size_t wrong = 0;
    const long allocated = counted::allocations_in([&] {
      for (std::size_t r = 0; r < x.rows(); ++r) {
        const auto one = f(x.data() + r * static_cast<std::size_t>(Net::input_size));
        for (int k = 0; k < Net::output_size; ++k)
          wrong += differ(one[k], y.data[r * static_cast<std::size_t>(Net::output_size) + static_cast<std::size_t>(k)]);
      }
    });
    INFO(Model::InputRow::size, " inputs, scale ", normalize.scale);
    CHECK(wrong == 0);
    CHECK(allocated == 0);
  }
}

/// Against central differences, in double.
template <class Model>
void check_gradient_of(Normalize normalize = {}) {
  using Net = Network<Model, Host, Float64>;
  const Net net{{.seed = 5}};
  const auto f = net.function(normalize);
  using F = std::remove_const_t<decltype(f)>;
  const auto x = rows_for<Net>(5);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    typename F::Input at;
    for (int i = 0; i < F::input_size; ++i) at[i] = x.data()[r * F::input_size + static_cast<std::size_t>(i)];
    typename F::Output dy;
    for (int k = 0; k < F::output_size; ++k) dy[k] = std::cos(static_cast<double>(k) + 1);
    const auto dx = f.gradient(at, dy);
    for (int i = 0; i < F::input_size; ++i) {
      const double step = 1e-6;
      double slope = 0;
      for (const double side : {1.0, -1.0}) {
        auto moved = at;
        moved[i] += side * step;
        const auto y = f(moved);
        for (int k = 0; k < F::output_size; ++k) slope += side * dy[k] * y[k] / (2 * step);
      }
      CHECK(dx[i] == doctest::Approx(slope).epsilon(1e-6).scale(1));
    }
  }
}

}  // namespace

TEST_CASE("a function has the bits of forward, and allocates nothing") {
  check_bits<Small>();
  check_bits<Small, Float64>();
  check_bits<Distance>();
  check_bits<Classes>();
  check_bits<Images>();
  check_bits<Normalized, Float32, true>();
  check_bits<Branches>();
  check_bits<Words>(true);
  check_bits<Headed>();
  check_bits<Single>();
}

TEST_CASE("its gradient is that of central differences; nothing is dropped") {
  check_gradient_of<Small>();
  check_gradient_of<Distance>({0.5f, 0.25f});
  check_gradient_of<Classes>();
  check_gradient_of<Images>();
  check_gradient_of<Branches>();
  check_gradient_of<Headed>();
}

TEST_CASE("it is called with numbers, and one output is a number") {
  const Network<Distance> net{{.seed = 1}};
  const auto distance = net.function();
  const FixedTensor<float, Shape<3>> x{0.5f, -1, 2};
  const float d = distance(x);
  CHECK(d == distance(0.5f, -1, 2.0));
  CHECK(d == distance(x.data()));
  CHECK(distance.gradient({0.5f, -1, 2})[1] == distance.gradient(x, {1})[1]);
  const Network<Single> single{{.seed = 1}};
  CHECK(float(single.function()(2.0f)) == float(single.function()(FixedTensor<float, Shape<1>>{2})));
}

TEST_CASE("it refers to the network's parameters, and serves many threads") {
  Network<Distance> net{{.seed = 1}};
  const auto distance = net.function();
  const float before = distance(1, 2, 3);
  std::vector<float> answers(4);
  {
    std::vector<std::thread> threads;
    for (float& answer : answers)
      threads.emplace_back([&answer, distance] {
        for (int i = 0; i < 1000; ++i) answer = distance(1, 2, 3);
      });
    for (std::thread& thread : threads) thread.join();
  }
  for (const float answer : answers) CHECK(answer == before);
  net.parameter("4.bias")[0] += 1;
  CHECK(distance(1, 2, 3) == doctest::Approx(before + 1));
}
