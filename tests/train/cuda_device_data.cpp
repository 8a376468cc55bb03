// SPDX-License-Identifier: MIT
// labels: cuda large gpu
// Data on the device: inputs, labels and rows of targets; parameters and gradients by name.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/data/read_ahead.hpp"
#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

template <class T>
CudaArray<T> to_device(const std::vector<T>& values) {
  CudaArray<T> array(Cuda{}, values.size());
  array.upload(values.data(), values.size());
  return array;
}
template <class T>
std::vector<T> here(const DeviceSpan<T>& span) {
  std::vector<T> values(span.size());
  cuda_check(cudaMemcpy(values.data(), span.data(), span.size() * sizeof(T), cudaMemcpyDeviceToHost), "looking");
  return values;
}
std::vector<float> numbers_of(const auto& tensor) { return {tensor.values().begin(), tensor.values().end()}; }

struct Numbers : Sequential<Input<3>, Linear<8>, Tanh, Linear<2>> {};
struct Normalized : Sequential<Input<3>, Linear<8>, BatchNorm1d<>, Tanh, Linear<4>, LogSoftmax> {};

}  // namespace

TEST_CASE("fit and evaluate on inputs and labels of the device, of any integer type") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(33);
  const auto labels = labels_for(33, 4);
  Network<Middle> host{{.seed = 5}};
  const auto want = fit(host, dataset(x, labels), NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3});
  const auto x_on_device = to_device(numbers_of(x));
  const auto check = [&](auto type) {
    const auto labels_on_device = to_device(std::vector<decltype(type)>(labels.begin(), labels.end()));
    const auto data = dataset(device_rows<Middle::InputRow>(x_on_device), labels_on_device);
    Network<Middle, Cuda> net{NetworkOptions{.seed = 5}};  // clang finds {{..}} ambiguous in a template
    const auto before = fake_cuda::counters();
    const auto got = fit(net, data, NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3});
    CHECK(fake_cuda::counters().bytes_to_device - before.bytes_to_device < 33 * 72 * sizeof(float));
    CHECK(got.epochs.back().train_loss == doctest::Approx(want.epochs.back().train_loss).epsilon(1e-5));
    CHECK(norm_error(values(net), values(host)) < 1e-5);
    CHECK(evaluate(net, data, NLLLoss{}).accuracy == evaluate(host, dataset(x, labels), NLLLoss{}).accuracy);
    const auto part = subset(data, 4, 9);
    CHECK(evaluate(net, part, NLLLoss{}).loss ==
          doctest::Approx(evaluate(host, subset(dataset(x, labels), 4, 9), NLLLoss{}).loss).epsilon(1e-5));
  };
  check(int{});
  check(std::uint8_t{});
  check(std::int64_t{});
}

TEST_CASE("rows of targets on the device, in steps and in fit") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(17);
  const auto y = inputs<Shape<2>>(17, 1.0, 3);
  const auto x_on_device = to_device(numbers_of(x)), y_on_device = to_device(numbers_of(y));
  const auto rows = device_rows<Shape<3>>(x_on_device);
  const auto targets = device_rows<Shape<2>>(y_on_device);
  Network<Numbers, Cuda> net{{.seed = 5}};
  Network<Numbers> host{{.seed = 5}};
  fit(net, dataset(rows, targets), MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 5, .epochs = 3});
  fit(host, dataset(x, y), MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 5, .epochs = 3});
  Trainer trainer{net, MSELoss{}, SGD{.lr = 0.1}};
  Trainer on_host{host, MSELoss{}, SGD{.lr = 0.1}};
  CHECK(trainer.step(rows, targets) == doctest::Approx(on_host.step(x, y)).epsilon(1e-4));
  CHECK(trainer.accumulate(rows, targets) == doctest::Approx(on_host.accumulate(x, y)).epsilon(1e-4));
  CHECK(trainer.update());
  on_host.update();
  CHECK(norm_error(values(net), values(host)) < 1e-5);
}

TEST_CASE("labels and numbers of the device are checked on the device, and errors name the first wrong one") {
  const FreshCuda cuda_runtime;
  auto x = numbers_of(inputs<Shape<3>>(17));
  auto labels = labels_for(17, 4);
  Network<Tiny, Cuda> net;
  const auto error = [&] {
    const auto x_on_device = to_device(x);
    const auto labels_on_device = to_device(labels);
    return error_of(
        [&] { fit(net, dataset(device_rows<Shape<3>>(x_on_device), labels_on_device), NLLLoss{}, SGD{.lr = 0.1}); });
  };
  CHECK(error() == "(no error)");
  labels[11] = 4;
  CHECK(has(error(), "row 11 of the labels is 4, expected 0 to 3"));
  labels[11] = -1;
  CHECK(has(error(), "row 11 of the labels is -1"));
  labels[11] = 0;
  x[3 * 7 + 1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(has(error(), "row 7, number 1 of the inputs is"));
  x = numbers_of(inputs<Shape<3>>(600));  // of several blocks one alone finds what is wrong
  labels = labels_for(600, 4);
  labels[599] = 4;
  CHECK(has(error(), "row 599 of the labels is 4, expected 0 to 3"));
  labels = labels_for(17, 4);
  CHECK(has(error_of([&] { device_rows<Shape<2>>(to_device(labels)); }), "17 numbers for rows of 2"));
}

TEST_CASE("a scale is fitted to numbers of the device there") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(1000, 2.0);
  auto numbers = numbers_of(x);
  for (float& number : numbers) number += 5;
  double mean = 0, squares = 0;
  for (const float number : numbers) mean += number / 3000.;
  for (const float number : numbers) squares += (number - mean) * (number - mean) / 3000;
  const auto x_on_device = to_device(numbers);
  const auto rows = device_rows<Shape<3>>(x_on_device);
  const auto before = fake_cuda::counters();
  const Normalize fitted = fit_normalize(rows);
  CHECK(fake_cuda::counters().bytes_to_host - before.bytes_to_host <= 2 * 12 * sizeof(double));
  CHECK(fitted.scale == doctest::Approx(1 / std::sqrt(squares)).epsilon(1e-6));
  CHECK(fitted.shift == doctest::Approx(-mean / std::sqrt(squares)).epsilon(1e-6));

  const auto bytes = to_device(std::vector<std::uint8_t>{10, 20, 30, 40, 50, 60});
  const Normalize of_bytes = fit_normalize(device_rows<Shape<3>>(bytes));
  CHECK(of_bytes.scale == doctest::Approx(1 / std::sqrt(1750. / 6)));
  CHECK(of_bytes.shift == doctest::Approx(-35 / std::sqrt(1750. / 6)));
  const auto same = to_device(std::vector<float>(6, 2));
  CHECK(has(error_of([&] { fit_normalize(device_rows<Shape<3>>(same)); }), "numbers that differ"));
  CHECK(has(error_of([&] { fit_normalize(device_rows<Shape<3>>(CudaArray<float>(Cuda{}, 0))); }), "no rows"));
}

TEST_CASE("parameters and gradients by name, on the device") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(9);
  const auto labels = labels_for(9, 4);
  Network<Tiny, Cuda> net{{.seed = 5}};
  Network<Tiny> host{{.seed = 5}};
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1}};
  Trainer on_host{host, NLLLoss{}, SGD{.lr = 0.1}};
  trainer.step(x, labels);
  on_host.step(x, labels);
  const auto on_device = device_parameters(net);
  const auto want = host.parameters();
  REQUIRE(on_device.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    CHECK(on_device[i].name == want[i].name);
    CHECK(on_device[i].shape == want[i].shape);
    CHECK(norm_error(here(on_device[i].value), std::vector<float>(want[i].value.begin(), want[i].value.end())) < 1e-5);
    CHECK(norm_error(here(on_device[i].gradient),
                     std::vector<float>(want[i].gradient.begin(), want[i].gradient.end())) < 1e-5);
  }
  const auto bias = device_parameter(net, "0.bias").value;
  const std::vector<float> zeros(bias.size());
  cuda_check(cudaMemcpy(bias.data(), zeros.data(), zeros.size() * sizeof(float), cudaMemcpyHostToDevice), "writing");
  Network<Tiny> copy;
  copy = net;
  for (const float b : copy.parameter("0.bias")) CHECK(b == 0);
  CHECK(has(error_of([&] { device_parameter(net, "9.bias"); }), "there is no parameter \"9.bias\""));
}

TEST_CASE("buffers by name, on the device") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Shape<3>>(9);
  const auto labels = labels_for(9, 4);
  Network<Normalized, Cuda> net{{.seed = 5}};
  Network<Normalized> host{{.seed = 5}};
  Trainer{net, NLLLoss{}, SGD{.lr = 0.1}}.step(x, labels);
  Trainer{host, NLLLoss{}, SGD{.lr = 0.1}}.step(x, labels);
  const auto buffers = device_buffers(net);
  REQUIRE(buffers.size() == 2);
  CHECK(buffers[0].name == "1.running_mean");
  CHECK(buffers[1].name == "1.running_var");
  const std::vector<float> all = values(host);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(buffers[i].shape == std::vector<int>{8});
    const auto want = all.begin() + Program<Normalized>::buffers[i].offset;
    CHECK(norm_error(here(buffers[i].value), std::vector<float>(want, want + 8)) < 1e-5);
  }
  const auto mean = device_buffer(net, "1.running_mean").value;
  CHECK(mean.data() == buffers[0].value.data());
  const std::vector<float> threes(mean.size(), 3);
  cuda_check(cudaMemcpy(mean.data(), threes.data(), threes.size() * sizeof(float), cudaMemcpyHostToDevice), "writing");
  CHECK(values(net)[static_cast<std::size_t>(Program<Normalized>::buffers[0].offset)] == 3);
  CHECK(has(error_of([&] { device_buffer(net, "0.bias"); }),
            "no buffer \"0.bias\"; this network has 1.running_mean, 1.running_var"));
  Network<Tiny, Cuda> without;
  CHECK(device_buffers(without).empty());
  CHECK(has(error_of([&] { device_buffer(without, "mean"); }), "this network has none"));
}

TEST_CASE("fit and evaluate on files, which are read by the host") {
  const FreshCuda cuda_runtime;
  const TemporaryFolder folder;
  const auto x = inputs<Shape<3>>(33);
  const auto labels = labels_for(33, 4);
  std::vector<char> records;
  for (std::size_t i = 0; i < 33; ++i) {
    records.push_back(static_cast<char>(labels[i]));
    const auto* const row = reinterpret_cast<const char*>(x.view().row(i));
    records.insert(records.end(), row, row + 3 * sizeof(float));
  }
  write_bytes(folder / "rows.bin", records);
  const RecordFiles<float, Shape<3>, std::uint8_t> files({folder / "rows.bin"});
  const auto memory = dataset(x, labels);

  Network<Normalized> host{{.seed = 5}};
  Network<Normalized, Cuda> net{{.seed = 5}};
  const auto want = fit(host, files, NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3, .held_out = {3, 4}});
  const auto got = fit(net, files, NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 8, .epochs = 3, .held_out = {3, 4}});
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    CHECK(got.epochs[epoch].train_loss == doctest::Approx(want.epochs[epoch].train_loss).epsilon(1e-5));
    CHECK(got.epochs[epoch].validation_loss == doctest::Approx(want.epochs[epoch].validation_loss).epsilon(1e-5));
  }
  const auto on_files = evaluate(net, files, NLLLoss{}), in_memory = evaluate(net, memory, NLLLoss{});
  CHECK(on_files.loss == doctest::Approx(in_memory.loss).epsilon(1e-12));
  CHECK(on_files.accuracy == in_memory.accuracy);
  CHECK(score(net, files) == score(net, memory));
  CHECK(numbers_of(predict(net, files)) == numbers_of(predict(net, memory)));
}
