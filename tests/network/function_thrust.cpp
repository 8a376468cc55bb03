// SPDX-License-Identifier: MIT
// labels: cuda
// A network as a functor of Thrust's algorithms, by its system for CPUs: what nvcc compiles for a GPU.
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#include <doctest/doctest.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#include <cstddef>
#include <sinter/function.hpp>
#include <sinter/sinter.hpp>
#include <vector>

using namespace sinter;

namespace {
struct Field : Sequential<Input<2>, Linear<16>, Tanh, Linear<2>> {};
struct Height : Sequential<Input<2>, Linear<16>, Tanh, Linear<1>> {};

/// A step of the midpoint method of x' = f(x).
template <class Function>
struct Midpoint {
  Function f;
  float step;
  using Point = typename Function::Input;
  SINTER_HOST_DEVICE Point operator()(const Point& x) const {
    const Point slope = f(x);
    const Point middle{x[0] + 0.5f * step * slope[0], x[1] + 0.5f * step * slope[1]};
    const Point there = f(middle);
    return {x[0] + step * there[0], x[1] + step * there[1]};
  }
};
}  // namespace

TEST_CASE("thrust::transform calls a network in the step of an equation") {
  const Network<Field> net{{.seed = 2}};
  const Midpoint<Function<Field>> step{net.function(), 0.25f};
  using Point = Function<Field>::Input;
  thrust::host_vector<Point> begin(100);
  for (std::size_t i = 0; i < begin.size(); ++i) begin[i] = {static_cast<float>(i) * 0.03f - 1, 0.5f};
  thrust::device_vector<Point> x = begin;
  for (int i = 0; i < 3; ++i) thrust::transform(x.begin(), x.end(), x.begin(), step);
  const thrust::host_vector<Point> end = x;
  auto workspace = net.workspace(1);
  for (std::size_t i = 0; i < begin.size(); ++i) {
    Point p = begin[i];
    for (int k = 0; k < 3; ++k) {
      const auto slope_of = [&](const Point& at) {
        return net.forward(TensorView<const float, Shape<2>>{at.data(), 1}, workspace);
      };
      const auto slope = slope_of(p);
      const Point middle{p[0] + 0.125f * slope.data[0], p[1] + 0.125f * slope.data[1]};
      const auto there = slope_of(middle);
      p = {p[0] + 0.25f * there.data[0], p[1] + 0.25f * there.data[1]};
    }
    CHECK(end[i][0] == doctest::Approx(p[0]).epsilon(1e-6));
    CHECK(end[i][1] == doctest::Approx(p[1]).epsilon(1e-6));
  }
}

TEST_CASE("its inputs may be columns") {
  const Network<Height> net{{.seed = 2}};
  const auto height = net.function();
  thrust::device_vector<float> x(50, 0.5f), y(50, -2.0f), z(50);
  x[7] = 3;
  const auto columns = thrust::make_zip_iterator(x.begin(), y.begin());
  thrust::transform(columns, columns + 50, z.begin(), thrust::make_zip_function(height));
  CHECK(z[0] == float(height(0.5f, -2.0f)));
  CHECK(z[7] == float(height(3.0f, -2.0f)));
  CHECK(z[7] != z[0]);
}
