// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "workloads.hpp"

namespace workload {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
struct Spread {
  double median, low, high;
  explicit Spread(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    median = v[v.size() / 2];
    low = v[v.size() / 10];
    high = v[v.size() * 9 / 10];
  }
};

/// Microseconds that the arithmetic of a step alone takes at the FMA peak of an H100 and an H200 (66.9 TFLOP/s).
template <class Model>
double floor_of(std::size_t batch) {
  double operations = 0;
  for (const Op& op : Program<Model>::ops) operations += 6.0 * static_cast<double>(op.multiply_adds());
  return operations * static_cast<double>(batch) / 66.9e6;
}

/// Microseconds of a step: whole calls of `fit`, all that it does included, divided by their steps. Sending the data and
/// recording the launches cost once for a call: two lengths of call, and their difference.
template <class Model, class Device, class T, class Loss>
Spread step_time(std::size_t rows, std::size_t batch, int epochs, const Loss& loss, int repeats) {
  const Data<Model, T> data(rows);
  const auto set = data.set();
  Network<Model, Device> net{{.seed = 1}};
  const auto options = [&](int n) {
    return FitOptions<std::remove_const_t<decltype(set)>>{.batch_size = batch, .epochs = n};
  };
  const std::size_t steps = (rows + batch - 1) / batch;
  std::vector<double> us;
  fit(net, set, loss, SGD{.lr = 0.01, .momentum = 0.5}, options(2));
  for (int i = 0; i < repeats; ++i) {
    const double begin = now();
    fit(net, set, loss, SGD{.lr = 0.01, .momentum = 0.5}, options(2));
    const double middle = now();
    fit(net, set, loss, SGD{.lr = 0.01, .momentum = 0.5}, options(2 + epochs));
    us.push_back((now() - middle - (middle - begin)) * 1e6 / (static_cast<double>(steps) * epochs));
  }
  return Spread(us);
}

}  // namespace workload
