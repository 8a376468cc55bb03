// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "sinter/layers/adaptive_pool2d.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/model/sequential.hpp"
#include "support/problem.hpp"

/// Which number of a window a max pool takes, and gives its gradient to: of equal ones the first, of several NaN the
/// last, as PyTorch 2's MaxPool2d and AdaptiveMaxPool2d do.
namespace sinter_test {

using PoolAlone = sinter::Sequential<sinter::Input<1, 1, 4>, sinter::MaxPool2d<sinter::Kernel<1, 4>>>;
using PoolRides = sinter::Sequential<sinter::Input<1, 1, 4>, sinter::Conv2d<1, 1, sinter::NoBias>,
                                     sinter::MaxPool2d<sinter::Kernel<1, 4>>>;
/// Its windows are the numbers 0 and 1, 1 and 2, 2 and 3.
using PoolOfShares = sinter::Sequential<sinter::Input<1, 1, 4>, sinter::AdaptiveMaxPool2d<1, 3>>;

struct Window4 {
  std::array<double, 4> x;
  int winner, of_shares[3];
};
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr Window4 windows4[] = {{{no_number, no_number, 1, 2}, 1, {1, 1, 3}},
                                       {{1, no_number, 2, no_number}, 3, {1, 1, 3}},
                                       {{no_number, 5, 1, 2}, 0, {0, 1, 3}},
                                       {{5, no_number, 7, 1}, 1, {1, 1, 2}},
                                       {{no_number, 1, no_number, 9}, 2, {0, 2, 2}},
                                       {{no_number, no_number, no_number, no_number}, 3, {1, 2, 3}},
                                       {{1, 3, 3, 2}, 1, {1, 1, 2}}};

template <class Model, class Make>
void check_winners(const Make& make) {
  constexpr std::size_t rows = std::size(windows4);
  Problem<Model> problem(rows, 1);
  const std::size_t outputs = problem.outputs;
  problem.parameters.assign(problem.parameters.size(), 1);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < 4; ++i) problem.x[row * 4 + i] = windows4[row].x[i];
  for (std::size_t i = 0; i < problem.wanted.size(); ++i) problem.wanted[i] = static_cast<double>(i + 1);

  auto engine = make.template operator()<Model>();
  const GivenGradient loss;
  const auto any = any_engine<double>(engine, loss);
  std::vector<double> y(rows * outputs), y_alone(y), dx(rows * 4), gradient(problem.parameters.size());
  any.forward(problem.parameters.data(), problem.x.data(), rows, y.data());
  for (std::size_t row = 0; row < rows; ++row)
    any.forward(problem.parameters.data(), problem.x.data() + row * 4, 1, y_alone.data() + row * outputs);
  any.accumulate(problem, 1, gradient.data(), dx.data());

  for (std::size_t row = 0; row < rows; ++row) {
    CAPTURE(row);
    std::array<double, 4> want{};
    for (std::size_t o = 0; o < outputs; ++o) {
      const int winner = outputs == 1 ? windows4[row].winner : windows4[row].of_shares[o];
      const double taken = windows4[row].x[static_cast<std::size_t>(winner)];
      for (const double got : {y[row * outputs + o], y_alone[row * outputs + o]})
        CHECK((got == taken || (std::isnan(got) && std::isnan(taken))));
      want[static_cast<std::size_t>(winner)] += problem.wanted[row * outputs + o];
    }
    for (std::size_t i = 0; i < 4; ++i) CHECK(dx[row * 4 + i] == want[i]);
  }
}
/// `make<Model>()` makes an engine in double.
template <class Make>
void check_winners_of_pools(const Make& make) {
  check_winners<PoolAlone>(make);
  check_winners<PoolRides>(make);
  check_winners<PoolOfShares>(make);
}

}  // namespace sinter_test
