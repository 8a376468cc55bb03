// SPDX-License-Identifier: MIT
// labels: optimised
// Names of the standard and of a program must stay usable after `using namespace sinter`.
#include <doctest/doctest.h>
#include <getopt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <valarray>
#include <vector>

#include "sinter/sinter.hpp"

using namespace std;
using namespace sinter;

namespace {
struct Line : Sequential<Input<2>, Linear<3>> {};
}  // namespace

// At global scope, where a namespace of ours would be found with them, or a type beside them.
struct Task {};
struct Executor {};
struct ThreadPool {};
Task task;
Executor executor;
ThreadPool pool;
Host host{.threads = 2};
Reference reference;
Network<Line> gpu(host, {.seed = 3});
string text = "a text";
double sum = 0, product = 1, constant = 2;
const option long_options[] = {{"rate", required_argument, nullptr, 'r'}, {nullptr, 0, nullptr, 0}};

TEST_CASE("the C library's mathematics for whole numbers and mixed arguments") {
  CHECK(log(10) == std::log(10.0));
  CHECK(exp(1) == std::exp(1.0));
  CHECK(tanh(1u) == std::tanh(1.0));
  CHECK(sqrt(2) == std::sqrt(2.0));
  CHECK(abs(-3) == 3);
  CHECK(abs(-0.5) == 0.5);
  CHECK(fma(2.0f, 3.0, 1) == 7);
}

TEST_CASE("the standard's algorithms") {
  CHECK(max(1.0, 2.0) == 2);
  CHECK(min(1, 2) == 1);
  CHECK(bit_cast<uint32_t>(1.0f) == 0x3f800000u);
  vector<int> order{1, 2, 3};
  shuffle(order.begin(), order.end(), mt19937(1));
  CHECK(accumulate(order.begin(), order.end(), 0) == 6);
  const valarray<double> numbers{1, 2, 3, 4};
  const valarray<double> even = numbers[slice(1, 2, 2)];
  CHECK(even[1] == 4);
}

TEST_CASE("names of a program's own") {
  CHECK(host.threads == 2);
  CHECK(gpu.seed() == 3);
  CHECK(string(long_options[0].name) == "rate");
  CHECK(text + Reference::name == "a textreference");
  CHECK(sum + product + constant == 3);
  (void)reference;
}

TEST_CASE("functors have their mathematics in fn") {
  CHECK(fn::exp(1.0f) == doctest::Approx(2.7182818));
  CHECK(fn::max(internal::Pack<float, 4>(1), internal::Pack<float, 4>(2))[3] == 2);
  CHECK(fn::select(true, 1.0, 2.0) == 1);
}
