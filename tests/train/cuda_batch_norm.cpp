// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Batch normalisation on Cuda, against the host.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 5, 6>, Conv2d<4, 3, Padding<1>, NoBias>, BatchNorm2d<>, ReLU,
                        Residual<Path<Conv2d<4, 3, Padding<1>, NoBias>, BatchNorm2d<Momentum<0.3>>>>, ReLU, Flatten,
                        Linear<6>, BatchNorm1d<NoAffine>, Tanh, Linear<3>> {};
using Ops = Program<Net>;
using Choose = gpu_kernels::Choose<Net, float, 1>;
static_assert(Choose::plan(1, 227 * 1024) == CudaPlan::layers && Choose::plan(256, 227 * 1024) == CudaPlan::layers);
static_assert(!Choose::resident_compiled && Choose::layers_compiled);

template <class Device>
using Network64 = Network<Net, Device, Float64>;
using InputRow = Net::InputRow;

Tensor<double, InputRow> rows_of(std::size_t rows, unsigned seed) {
  const auto x = inputs<InputRow>(rows, 2, seed);
  Tensor<double, InputRow> wide(rows);
  for (std::size_t i = 0; i < rows * InputRow::size; ++i) wide.data()[i] = static_cast<double>(x.data()[i]) + 1;
  return wide;
}
/// All that the network keeps, and what inference gives.
void check_same(const Network64<Cuda>& cuda, const Network64<Host>& host, double most) {
  CHECK(norm_error(values(cuda), values(host)) < most);
  const auto x = rows_of(5, 9);
  auto there = cuda.workspace(5);
  auto here = host.workspace(5);
  const auto got = cuda.forward(x, there), want = host.forward(x, here);
  CHECK(norm_error(std::vector<double>(got.data, got.data + 15), std::vector<double>(want.data, want.data + 15)) <
        most);
}

}  // namespace

TEST_CASE("fit is fit on the host, ragged last batches and validation included") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<InputRow>(39);
  const auto labels = labels_for(39, 3);
  const auto data = dataset(x, labels);
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  const auto check = [&](const auto& optimizer, const Options& options) {
    Network64<Cuda> cuda(Cuda{}, {.seed = 5});
    Network64<Host> host(Host{}, {.seed = 5});
    const History got = fit(cuda, data, CrossEntropyLoss{}, optimizer, options),
                  want = fit(host, data, CrossEntropyLoss{}, optimizer, options);
    REQUIRE(got.epochs.size() == want.epochs.size());
    for (std::size_t e = 0; e < want.epochs.size(); ++e) {
      CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-9));
      CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(1e-9));
      CHECK(got.epochs[e].validation_accuracy == want.epochs[e].validation_accuracy);
    }
    check_same(cuda, host, 1e-9);
  };
  check(SGD{.lr = 0.05, .momentum = 0.9}, {.batch_size = 16, .epochs = 3, .validation = &data});
  check(Adam{.lr = 0.002}, {.batch_size = 37, .epochs = 2, .validation = &data});
}

TEST_CASE("steps one at a time, batches that are added up, and one that is not sound") {
  const FreshCuda cuda_runtime;
  Network64<Cuda> cuda{{.seed = 3}};
  Network64<Host> host{{.seed = 3}};
  Trainer there{cuda, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.5}};
  Trainer here{host, CrossEntropyLoss{}, SGD{.lr = 0.05, .momentum = 0.5}};
  const auto step = [&](std::size_t rows, unsigned seed) {
    const auto x = rows_of(rows, seed);
    const auto labels = labels_for(rows, 3);
    CHECK(static_cast<double>(there.step(x, labels)) ==
          doctest::Approx(static_cast<double>(here.step(x, labels))).epsilon(1e-9));
  };
  for (unsigned i = 0; i < 6; ++i) step(i % 2 == 0 ? 9 : 4, i);
  CHECK(values(cuda)[static_cast<std::size_t>(Ops::buffers[0].offset)] != 0);
  check_same(cuda, host, 1e-9);

  const auto add = [](auto& trainer) {
    trainer.accumulate(rows_of(7, 1), labels_for(7, 3));
    trainer.accumulate(rows_of(5, 2), labels_for(5, 3));
    CHECK(trainer.update());
  };
  add(there);
  add(here);
  check_same(cuda, host, 1e-9);

  const auto before = values(cuda);
  auto bad = rows_of(6, 3);
  bad.data()[7] = std::numeric_limits<double>::quiet_NaN();
  there.step(bad, labels_for(6, 3));
  CHECK_FALSE(there.problem().empty());
  CHECK(same(values(cuda), before));
  there.accumulate(bad, labels_for(6, 3));
  CHECK_FALSE(there.update());
  CHECK(same(values(cuda), before));
  step(9, 7);  // nothing of them is left
  check_same(cuda, host, 1e-9);
}

TEST_CASE("a dataset with a number that is not finite changes no buffer") {
  const FreshCuda cuda_runtime;
  auto x = inputs<InputRow>(8);
  const auto labels = labels_for(8, 3);
  Network<Net, Cuda> net{{.seed = 3}};
  const auto before = values(net);
  SUBCASE("in the data") {
    x.data()[5] = std::numeric_limits<float>::infinity();
    CHECK(has(error_of([&] { fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 8}); }),
              "inf"));
  }
  SUBCASE("on the way") {
    for (float& v : x.values()) v *= 3e38f;
    fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 8});
  }
  CHECK(same(values(net), before));
}

TEST_CASE("one row of features has no variance") {
  const FreshCuda cuda_runtime;
  Network<Net, Cuda> net{{.seed = 3}};
  const auto x = inputs<InputRow>(9);
  const auto labels = labels_for(9, 3);
  const std::string wanted = "was given a batch with 1 row to train on";
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  CHECK(has(error_of([&] { trainer.step(inputs<InputRow>(1), labels_for(1, 3)); }), wanted));
  CHECK(has(error_of([&] { fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 4}); }),
            wanted));
}

TEST_CASE("describe says the plan, and a checkpoint continues bit for bit") {
  const FreshCuda cuda_runtime;
  const TemporaryFolder folder;
  const auto x = inputs<InputRow>(9);
  const auto labels = labels_for(9, 3);
  const auto after = [&](int steps, bool resuming, const std::string& to) {
    Network<Net, Cuda> net{{.seed = 3}};
    Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
    if (resuming) resume(trainer, folder / "run");
    for (int i = 0; i < steps; ++i) trainer.step(x, labels);
    if (!to.empty()) save_checkpoint(trainer, to);
    return values(net);
  };
  const auto in_one_go = after(5, false, "");
  after(2, false, folder / "run");
  CHECK(same(after(3, true, ""), in_one_go));

  const std::string text = describe(Network<Net, Cuda>{}, 16);
  CHECK(has(text, "plan layers on cuda"));
  CHECK(has(text, "statistics\n"));
  CHECK(has(text, "normalize, ReLU\n"));
}

TEST_CASE("an ensemble trains its members one after another, and judges them") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<InputRow>(12);
  const auto labels = labels_for(12, 3);
  const auto data = dataset(x, labels);
  Ensemble<Net, Cuda> there(2, {.seed = 4});
  Ensemble<Net> here(2, {.seed = 4});
  fit(there, data, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 5, .epochs = 2});
  fit(here, data, CrossEntropyLoss{}, SGD{.lr = 0.05}, {.batch_size = 5, .epochs = 2});
  const auto got = evaluate(there, data, CrossEntropyLoss{}), want = evaluate(here, data, CrossEntropyLoss{});
  for (std::size_t m = 0; m < 2; ++m) {
    CHECK(norm_error(values(there[m]), values(here[m])) < 1e-4);
    CHECK(got[m].loss == doctest::Approx(want[m].loss).epsilon(1e-3));
  }
}
