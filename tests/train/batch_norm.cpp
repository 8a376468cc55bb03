// SPDX-License-Identifier: MIT
// labels: processor large
#include "sinter/layers/batch_norm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sinter/io/load.hpp"
#include "sinter/io/save.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/model/truncate.hpp"
#include "sinter/network/summary.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

struct Net : Sequential<Input<2>, BatchNorm1d<Epsilon<1e-3>, Momentum<0.25>>, Linear<1>> {};
using Ops = Program<Net>;
static_assert(Ops::parameter_count == 4 && Ops::buffer_count == 2 && Ops::trained == 7);
static_assert(Ops::buffers[0].offset == Ops::arena_size && Ops::storage_size == Ops::arena_size + 32);
static_assert(summary_of<Net>.parameters == 7);

template <class Device = Host, class Precision = Float64>
using Network64 = Network<Net, Device, Precision>;

Tensor<double, Shape<2>> inputs() { return {1, 10, 2, 20, 6, 60}; }
Tensor<double, Shape<1>> targets() { return {1, 0, 2}; }

std::vector<double> buffers(const auto& net) { return {net.data() + Ops::arena_size, net.data() + Ops::storage_size}; }

}  // namespace

TEST_CASE_TEMPLATE("buffers follow the batches that were trained on", Device, Host, Reference) {
  Network64<Device> net;
  CHECK(buffers(net)[0] == 0);
  CHECK(buffers(net)[16] == 1);
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0}};
  trainer.step(inputs(), targets());
  // mean 3, unbiased variance 7
  CHECK(buffers(net)[0] == doctest::Approx(0.25 * 3));
  CHECK(buffers(net)[1] == doctest::Approx(0.25 * 30));
  CHECK(buffers(net)[16] == doctest::Approx(0.75 + 0.25 * 7));
  CHECK(buffers(net)[17] == doctest::Approx(0.75 + 0.25 * 700));

  SUBCASE("one batch after another") {
    trainer.accumulate(inputs(), targets());
    CHECK(buffers(net)[0] == doctest::Approx(0.75));  // not before the update
    trainer.accumulate(inputs(), targets());
    trainer.update();
    CHECK(buffers(net)[0] == doctest::Approx(3 * (1 - 0.75 * 0.75 * 0.75)));
  }
  SUBCASE("a step that is left out changes none") {
    const auto before = buffers(net);
    auto x = inputs();
    x.data()[3] = std::numeric_limits<double>::quiet_NaN();
    trainer.step(x, targets());
    CHECK_FALSE(trainer.problem().empty());
    CHECK(buffers(net) == before);
    trainer.step(inputs(), targets());
    CHECK(buffers(net)[0] == doctest::Approx(3 * (1 - 0.75 * 0.75)));  // nothing of it is left
  }
  SUBCASE("inference takes them") {
    auto workspace = net.workspace(1);
    const double y = net.forward(Tensor<double, Shape<2>>{4, 5}, workspace).row(0)[0];
    const auto weight = net.parameter("1.weight"), bias = net.parameter("1.bias");
    const auto of = [&](double x, std::size_t i) {
      return (x - buffers(net)[i]) / std::sqrt(buffers(net)[16 + i] + 1e-3);
    };
    CHECK(y == doctest::Approx(weight[0] * of(4, 0) + weight[1] * of(5, 1) + bias[0]));
  }
}

TEST_CASE("a batch of one row has no variance") {
  Network64<> net;
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  const Tensor<double, Shape<2>> x{1, 10};
  const Tensor<double, Shape<1>> y{{1}};
  CHECK(error_of([&] { trainer.step(x, y); }) ==
        "layer 0 (BatchNorm1d) was given a batch with 1 row to train on, and takes statistics over its rows; give it 2 "
        "or more, also in the last batch of an epoch, or leave that out by .drop_last");
  CHECK(buffers(net)[0] == 0);
  // fit looks before it starts.
  const Tensor<double, Shape<2>> rows = inputs();
  const Tensor<double, Shape<1>> wanted = targets();
  CHECK(has(error_of([&] { fit(net, dataset(rows, wanted), MSELoss{}, SGD{}, {.batch_size = rows.rows() - 1}); }),
            "also in the last batch"));
  CHECK(buffers(net)[0] == 0);
  Network64<> fitted;
  const History history = fit(fitted, dataset(rows, wanted), MSELoss{}, SGD{.lr = 0.01},
                              {.batch_size = rows.rows() - 1, .epochs = 2, .drop_last = true});
  CHECK(history.stopped.empty());
  CHECK(history.samples_per_epoch == rows.rows() - 1);
  CHECK(buffers(fitted)[0] != 0);
  trainer.step(inputs(), targets());
  CHECK(buffers(net)[0] == doctest::Approx(0.75));
}

TEST_CASE("buffers go where the parameters go") {
  Network64<> net;
  Trainer{net, MSELoss{}, SGD{.lr = 0.1}}.step(inputs(), targets());
  Network64<Reference, Float32> other;
  other = net;
  CHECK(static_cast<double>(other.data()[Ops::arena_size]) == doctest::Approx(0.75));

  Network<Truncate<Net, 1>, Host, Float64> first;
  first = net;
  CHECK(first.data()[Program<Truncate<Net, 1>>::arena_size] == doctest::Approx(0.75));

  Network64<> loaded;
  load(loaded, save_bytes(net));
  CHECK(buffers(loaded) == buffers(net));
}

TEST_CASE("an epoch leaves a network that fits its data") {
  Tensor<float, Shape<2>> x(64);
  Tensor<float, Shape<1>> y(64);
  for (std::size_t i = 0; i < 64; ++i) {
    x.data()[2 * i] = static_cast<float>(i % 8) * 100;
    x.data()[2 * i + 1] = static_cast<float>(i / 8) - 50;
    y.data()[i] = static_cast<float>(i % 8) / 8 - static_cast<float>(i / 8) / 4;
  }
  const auto data = dataset(x.view(), y.view());
  Network<Net> net;
  fit(net, data, MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 64, .epochs = 150});
  CHECK(evaluate(net, data, MSELoss{}).loss < 1e-3);
}
