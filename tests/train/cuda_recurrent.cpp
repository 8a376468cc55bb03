// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Recurrent layers on Cuda, against the host.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<5, 3>, GRU<4, Bidirectional, NumLayers<2>, DropoutBetween<0.3>>, Dropout<0.2>,
                        LSTM<6, ProjectionSize<5>, LearnedState, FinalState>, Linear<3>> {};
/// The length of a row is its first number.
struct Ragged
    : Sequential<Input<1 + 6>, Recurrent<LSTM<4, FinalState>, Path<Slice<1, 6>, Reshape<3, 2>>, Lengths<Slice<0, 1>>>> {
};
/// Too large for a block's own memory.
struct Long : Sequential<Input<300, 2>, LSTM<40, FinalState>, Linear<1>> {};

constexpr std::size_t shared = 227 * 1024;
using Choose = gpu_kernels::Choose<Net, float, 1>;
static_assert(Choose::plan(32, shared) != CudaPlan::layers && Choose::resident_compiled);
using ChooseLong = gpu_kernels::Choose<Long, float, 1>;
static_assert(ChooseLong::plan(32, shared) == CudaPlan::layers && ChooseLong::pair_rows(shared) == 0);
static_assert(ChooseLong::steps == 600 && Choose::steps == 2 * 2 * 5 + 4 * 5);

Tensor<double, Net::InputRow> rows_of(std::size_t rows) {
  const auto x = inputs<Net::InputRow>(rows, 2, 1);
  Tensor<double, Net::InputRow> wide(rows);
  for (std::size_t i = 0; i < rows * Net::InputRow::size; ++i) wide.data()[i] = static_cast<double>(x.data()[i]);
  return wide;
}

}  // namespace

TEST_CASE_TEMPLATE("fit, predict and evaluate are those of the host", Device, CudaWith<CudaPlan::resident>,
                   CudaWith<CudaPlan::pair>, CudaWith<CudaPlan::layers>) {
  const FreshCuda cuda_runtime;
  const auto x = rows_of(37);
  const auto labels = labels_for(37, 3);
  const auto data = dataset(x, labels);
  Network<Net, Device, Float64> cuda{{.seed = 3}};
  Network<Net, Host, Float64> host{NetworkOptions{.seed = 3}};
  const FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 8, .epochs = 3};
  const auto before = values(host);
  const History got = fit(cuda, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, options),
                want = fit(host, data, CrossEntropyLoss{}, Adam{.lr = 0.01}, options);
  CHECK(got.epochs.back().train_loss == doctest::Approx(want.epochs.back().train_loss).epsilon(1e-9));
  CHECK(norm_error(values(host), before) > 1e-3);
  CHECK(norm_error(values(cuda), values(host)) < 1e-8);
  const auto ours = predict(cuda, data), theirs = predict(host, data);
  CHECK(norm_error(ours.values(), theirs.values()) < 1e-8);
  CHECK(evaluate(cuda, data, CrossEntropyLoss{}).loss ==
        doctest::Approx(evaluate(host, data, CrossEntropyLoss{}).loss).epsilon(1e-8));
}

TEST_CASE("networks side by side train as on the host") {
  const FreshCuda cuda_runtime;
  const auto x = rows_of(20);
  const auto labels = labels_for(20, 3);
  const auto data = dataset(x, labels);
  Ensemble<Net, Cuda, Float64> cuda(2);
  Ensemble<Net, Host, Float64> host(2);
  const std::vector<SGD> rates{{.lr = 0.1}, {.lr = 0.2}};
  fit(cuda, data, CrossEntropyLoss{}, rates, {.batch_size = 8, .epochs = 2});
  fit(host, data, CrossEntropyLoss{}, rates, {.batch_size = 8, .epochs = 2});
  for (std::size_t m = 0; m < 2; ++m) CHECK(norm_error(values(cuda[m]), values(host[m])) < 1e-8);
}

TEST_CASE("a row whose length is none gives NaN, and the others their numbers") {
  const FreshCuda cuda_runtime;
  Network<Ragged, Cuda> cuda{{.seed = 3}};
  const Network<Ragged> host{{.seed = 3}};
  Tensor<float, Ragged::InputRow> x(4);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = 0.1f * static_cast<float>(i % 5);
  const float lengths[] = {2, 0, 4, 3};
  for (std::size_t row = 0; row < 4; ++row) x.data()[row * 7] = lengths[row];
  auto there = cuda.workspace(4);
  auto here = host.workspace(4);
  const auto got = cuda.forward(x, there), want = host.forward(x, here);
  for (std::size_t i = 0; i < 16; ++i) {
    CAPTURE(i);
    const bool none = i / 4 == 1 || i / 4 == 2;
    CHECK(std::isnan(got.data[i]) == none);
    CHECK(std::isnan(want.data[i]) == none);
    if (!none) CHECK(got.data[i] == doctest::Approx(want.data[i]).epsilon(1e-5));
  }
}

TEST_CASE("the plan is told") {
  const FreshCuda cuda_runtime;
  const Network<Long, Cuda> net{{.seed = 1}};
  CHECK(describe(net, 32).find("plan layers on cuda") != std::string::npos);
}
