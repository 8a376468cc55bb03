// SPDX-License-Identifier: MIT
// labels: threads large change sanitized
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/layers/pool2d.hpp"
#include "sinter/model/sequential.hpp"
#include "sinter/serve/batcher.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

struct Small
    : Sequential<Input<1, 8, 8>, Conv2d<5, 3>, MaxPool2d<2>, ReLU, Flatten, Linear<21>, Tanh, Linear<7>, LogSoftmax> {};
using Rows = Tensor<float, Small::InputRow>;

}  // namespace

TEST_CASE("a row has the same bits alone and in any batch of many threads' requests") {
  const Network<Small> net{{.seed = 5}};
  constexpr std::size_t count = 300;
  Rows x(count);
  std::mt19937 random(2);
  for (float& number : x.values()) number = static_cast<float>(random() % 256);
  const Normalize scale{1.0f / 128, -1};
  std::vector<float> alone;
  auto workspace = net.workspace(1);
  for (std::size_t row = 0; row < count; ++row) {
    const auto y = net.forward(x.view().slice(row, 1), workspace, scale);
    alone.insert(alone.end(), y.data, y.data + 7);
  }

  Batcher batcher(net, {.workers = 3,
                        .max_batch = 24,
                        .max_delay = std::chrono::microseconds(100),
                        .max_waiting = 100000,
                        .normalize = scale});
  std::atomic<std::size_t> rows = 0, different = 0;
  const auto ask = [&](unsigned seed) {
    std::mt19937 draw(seed);
    std::vector<std::pair<std::size_t, std::future<Tensor<float, Small::OutputRow>>>> asked;
    for (int i = 0; i < 60; ++i) {
      const std::size_t size = 1 + draw() % 11, first = draw() % (count - size);
      asked.emplace_back(first, batcher.async(std::as_const(x).view().slice(first, size)));
      if (draw() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(draw() % 300));
    }
    for (auto& [first, future] : asked) {
      const auto y = future.get();
      rows += y.rows();
      different += std::memcmp(y.data(), alone.data() + first * 7, y.rows() * 7 * sizeof(float)) != 0;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(ask, t);
  for (auto& thread : threads) thread.join();
  CHECK(different == 0);
  const auto statistics = batcher.statistics();
  CHECK(statistics.rows == rows);
  CHECK(statistics.batches < 240);  // else there were no batches of several requests
}

TEST_CASE("a network in double answers in double") {
  const Network<Small, Host, Float64> net{{.seed = 5}};
  Batcher batcher(net);
  const Tensor<double, Small::InputRow> x(3);
  auto workspace = net.workspace(3);
  const auto y = net.forward(x, workspace);
  CHECK(batcher.async(x).get()(2, 3) == y(2, 3));
}

TEST_CASE(
    "a network that was moved from is refused by the batcher, not by a worker, which could only end the program") {
  Network<Small> net{{.seed = 1}};
  const Network<Small> moved = std::move(net);
  const auto gone = [](auto call) { return error_of(call).find("has been moved from") != std::string::npos; };
  CHECK(gone([&] { const Batcher batcher(net); }));
  Batcher batcher(moved);
  CHECK(gone([&] { batcher.replace(net); }));
  CHECK(batcher.async(Rows(1)).get().rows() == 1);
}
