// SPDX-License-Identifier: MIT
// labels: cuda large gpu
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/cuda_training.hpp"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/last_words.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using namespace sinter_test::plans;

namespace {

/// `fit` on both devices: the same history and weights.
template <class Model, class Precision = Float32, class D, class Loss, class Optimizer>
void check(const D& data, const Loss& loss, const Optimizer& optimizer, FitOptions<D> options, double most = 1e-5) {
  CAPTURE(options.batch_size);
  Network<Model, Cuda, Precision> cuda{{.seed = 5}};
  Network<Model, Host, Precision> host{{.seed = 5}};
  const History got = fit(cuda, data, loss, optimizer, options), want = fit(host, data, loss, optimizer, options);
  CHECK(got.stopped.empty());
  REQUIRE(got.epochs.size() == want.epochs.size());
  for (std::size_t e = 0; e < want.epochs.size(); ++e) {
    CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(most));
    if (options.validation == nullptr) continue;
    CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(most));
    if (has_labels<D>) CHECK(got.epochs[e].validation_accuracy == want.epochs[e].validation_accuracy);
  }
  REQUIRE(got.intervals.size() == want.intervals.size());
  for (std::size_t i = 0; i < want.intervals.size(); ++i) {
    CHECK(got.intervals[i].epoch == want.intervals[i].epoch);
    CHECK(got.intervals[i].samples == want.intervals[i].samples);
    CHECK(got.intervals[i].loss == doctest::Approx(want.intervals[i].loss).epsilon(most));
  }
  CHECK(norm_error(values(cuda), values(host)) < most);
}

template <class Model>
void check_plan() {
  const auto x = inputs<typename Model::InputRow>(39);
  const auto labels = labels_for(39, 4);
  const auto data = dataset(x, labels);
  using Options = FitOptions<std::remove_const_t<decltype(data)>>;
  const auto run = [&](const auto& optimizer, const Options& options) {
    check<Model>(data, NLLLoss{}, optimizer, options);
  };
  run(SGD{.lr = 0.05}, {.batch_size = 16, .epochs = 2, .validation = &data, .interval = 2});
  run(SGD{.lr = 0.05, .momentum = 0.9, .dampening = 0.5, .weight_decay = 0.01}, {.batch_size = 13, .epochs = 2});
  run(SGD{.lr = 0.02, .momentum = 0.8, .nesterov = true}, {.batch_size = 16, .shuffle = false, .first_epoch = 3});
  run(Adam{.lr = 0.002}, {.batch_size = 20, .epochs = 2, .validation = &data});
  run(SGD{.lr = 0.05}, {.batch_size = 1});
  run(SGD{.lr = 0.05}, {.batch_size = 7, .epochs = 2, .held_out = {30, 9}});
  run(SGD{.lr = 0.05}, {.batch_size = 16, .held_out = {5, 11}, .shuffle = false});
  run(SGD{.lr = 0.05}, {.batch_size = 1000, .epochs = 2});
  run(SGD{.lr = 0.05, .momentum = 0.9}, {.batch_size = 16, .epochs = 3, .drop_last = true});
}

struct Picture : Sequential<Input<3, 6, 5>, Conv2d<4, 3>, ReLU, Flatten, Linear<4>, LogSoftmax> {};
struct Numbers : Sequential<Input<3>, Linear<8>, Tanh, Linear<2>> {};
struct Narrowed : Sequential<Input<3>, Linear<2>, Tanh, Linear<3>> {};
struct BothAreTarget {
  static constexpr int target_size = 1;
  using Target = RowTarget;
  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    V total(0);
    for (int i = 0; i < n; ++i) total += fn::product(y[i] - target[0], y[i] - target[0]);
    return total;
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = fn::product(scale, V(2) * (y[i] - target[0]));
  }
};

}  // namespace

TEST_CASE("fit by the plan resident is fit on the host") {
  const FreshCuda cuda_runtime;
  check_plan<Tiny>();
}
TEST_CASE("fit by the plan pair is fit on the host") {
  const FreshCuda cuda_runtime;
  check_plan<Middle>();
}
TEST_CASE("fit by the plan layers is fit on the host") {
  const FreshCuda cuda_runtime;
  check_plan<Wide>();
}

TEST_CASE_TEMPLATE("integers with their channels last, scaled on the device, with labels of any integer type", Pixel,
                   std::uint8_t, std::int8_t, std::int16_t) {
  const FreshCuda cuda_runtime;
  std::vector<Pixel> pixels(std::size_t{21} * 90);
  Draw draw(3);
  for (auto& pixel : pixels) pixel = static_cast<Pixel>(draw.below(256));
  const TensorView<const Pixel, Shape<3, 6, 5>> view{
      .data = pixels.data(), .rows = 21, .channel_stride = 1, .height_stride = 15, .width_stride = 3};
  const auto run = [&](auto type) {
    std::vector<decltype(type)> labels;
    for (const int label : labels_for(21, 4)) labels.push_back(static_cast<decltype(type)>(label));
    const auto data = dataset(view, labels, Normalize::pixels(0.4f, 0.3f));
    check<Picture>(data, NLLLoss{}, SGD{.lr = 0.05}, {.batch_size = 6, .epochs = 2, .validation = &data});

    Network<Picture, Cuda> cuda{NetworkOptions{.seed = 5}};
    Network<Picture> host{NetworkOptions{.seed = 5}};
    Trainer on_cuda{cuda, NLLLoss{}, SGD{.lr = 0.05}};
    Trainer on_host{host, NLLLoss{}, SGD{.lr = 0.05}};
    const auto part = subset(data, 4, 9);
    CHECK(on_cuda.step(part) == doctest::Approx(on_host.step(part)));
    CHECK(norm_error(values(cuda), values(host)) < 1e-6);
    CHECK(norm_error(predict(cuda, part).values(), predict(host, part).values()) < 1e-6);
    CHECK(score(cuda, part) == score(host, part));
  };
  run(std::uint8_t{});
  run(std::int16_t{});
  run(std::uint64_t{});
}

TEST_CASE("doubles, rows of targets, and training in double") {
  const FreshCuda cuda_runtime;
  Tensor<double, Shape<3>> x(17);
  Tensor<double, Shape<2>> y(17);
  Draw draw(4);
  for (double& v : x.values()) v = draw.symmetric(1) + 1e-9;
  for (double& v : y.values()) v = draw.symmetric(1) + 1e-9;
  const auto data = dataset(x, y);
  check<Numbers>(data, MSELoss{}, SGD{.lr = 0.1, .momentum = 0.5}, {.batch_size = 5, .epochs = 3, .validation = &data});
  check<Numbers, Float64>(data, MSELoss{}, Adam{.lr = 0.01}, {.batch_size = 5, .epochs = 3, .validation = &data},
                          1e-12);
  const auto every_other = TensorView<const double, Shape<3>>{.data = x.data(), .rows = 8, .row_stride = 6};
  const auto targets = y.view().slice(2, 8);
  check<Numbers, Float64>(dataset(every_other, targets), MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 3}, 1e-12);
}

TEST_CASE("a loss that compares two outputs with one number") {
  const FreshCuda cuda_runtime;
  Tensor<float, Shape<3>> x(17);
  Tensor<float, Shape<1>> y(17);
  Draw draw(4);
  for (float& v : x.values()) v = static_cast<float>(draw.symmetric(1));
  for (float& v : y.values()) v = static_cast<float>(draw.symmetric(1));
  const auto data = dataset(x, y);
  check<Numbers>(data, BothAreTarget{}, SGD{.lr = 0.1}, {.batch_size = 5, .epochs = 3, .validation = &data});
}

TEST_CASE("bytes that are learned from themselves") {
  const FreshCuda cuda_runtime;
  std::vector<std::uint8_t> bytes(std::size_t{17} * 3);
  Draw draw(4);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(draw.below(256));
  const auto rows = TensorView<const std::uint8_t, Shape<3>>::from(bytes);
  const auto data = dataset(rows, rows, Normalize::pixels(0.4f, 0.3f));
  check<Narrowed>(data, MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 5, .epochs = 3, .validation = &data});
  Network<Narrowed, Cuda> cuda{NetworkOptions{.seed = 5}};
  Network<Narrowed> host{NetworkOptions{.seed = 5}};
  Trainer on_cuda{cuda, MSELoss{}, SGD{.lr = 0.05}};
  Trainer on_host{host, MSELoss{}, SGD{.lr = 0.05}};
  CHECK(on_cuda.step(subset(data, 4, 9)) == doctest::Approx(on_host.step(subset(data, 4, 9))));
  CHECK(norm_error(values(cuda), values(host)) < 1e-6);
}

TEST_CASE("two runs give the same bits, and so do rows alone and in a batch") {
  const FreshCuda cuda_runtime;
  const auto run = [&]<class Model>(Model, const auto& optimizer) {
    const auto x = inputs<typename Model::InputRow>(39);
    const auto labels = labels_for(39, 4);
    const auto data = dataset(x, labels);
    Network<Model, Cuda> one{{.seed = 2}}, two{{.seed = 2}};
    const History a = fit(one, data, NLLLoss{}, optimizer, {.batch_size = 16, .epochs = 2}),
                  b = fit(two, data, NLLLoss{}, optimizer, {.batch_size = 16, .epochs = 2});
    CHECK(same(values(one), values(two)));
    CHECK(a.epochs.back().train_loss == b.epochs.back().train_loss);
    const auto all = predict(one, data);
    auto workspace = one.workspace(1);
    for (std::size_t row = 0; row < 39; ++row) {
      const auto y = one.forward(x.view().slice(row, 1), workspace);
      CHECK(same(std::vector<float>(y.data, y.data + 4),
                 std::vector<float>(all.data() + 4 * row, all.data() + 4 * row + 4)));
    }
    CHECK(evaluate(one, data, NLLLoss{}).loss == evaluate(two, data, NLLLoss{}).loss);
  };
  run(Tiny{}, Adam{.lr = 0.01});
  run(Middle{}, SGD{.lr = 0.05, .momentum = 0.9});
  run(Wide{}, SGD{.lr = 0.05});
}

TEST_CASE("one network serves many threads, with a workspace each") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Middle::InputRow>(6);
  const Network<Middle, Cuda> net{{.seed = 2}};
  auto first = net.workspace(6);
  const auto y = net.forward(x, first);
  const std::vector<float> want(y.data, y.data + 24);
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  for (auto& mine : got)
    threads.emplace_back([&] {
      auto workspace = net.workspace(6);
      for (int i = 0; i < 20; ++i) {
        const auto out = net.forward(x, workspace);
        mine.assign(out.data, out.data + 24);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& mine : got) CHECK(same(mine, want));
}

TEST_CASE("a training that continues with first_epoch takes the orders and masks of one run") {
  const FreshCuda cuda_runtime;
  const auto run = [&]<class Model>(Model) {
    const auto x = inputs<typename Model::InputRow>(20);
    const auto labels = labels_for(20, 4);
    const auto data = dataset(x, labels);
    Network<Model, Cuda> whole{{.seed = 2}}, parts{{.seed = 2}};
    fit(whole, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 7, .epochs = 3});
    fit(parts, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 7, .epochs = 1});
    fit(parts, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 7, .epochs = 2, .first_epoch = 1});
    CHECK(same(values(whole), values(parts)));
  };
  run(Tiny{});
  run(Middle{});
  run(Wide{});
}

TEST_CASE("callbacks see what they see on the host, in that order, and stop training") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(39);
  const auto labels = labels_for(39, 4);
  const auto data = dataset(x, labels);
  struct Log {
    std::string text;
    void on_begin(const TrainingInfo& info) { text += "begin " + std::to_string(info.samples) + "\n"; }
    void on_batch_end(const BatchInfo& info) {
      text += "batch " + std::to_string(info.epoch) + " " + std::to_string(info.samples_done) + "\n";
    }
    bool on_epoch_end(const EpochRecord& epoch, const History& history) {
      text += "epoch " + std::to_string(epoch.epoch) + " " + std::to_string(history.epochs.size()) + "\n";
      return epoch.epoch < 2;
    }
    static std::string reason() { return "enough"; }
    void on_end(const History& history) { text += "end " + history.stopped + "\n"; }
  } on_cuda, on_host;
  Network<Tiny, Cuda> cuda;
  Network<Tiny> host;
  const auto got = fit(cuda, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 9, .epochs = 5}, on_cuda);
  fit(host, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 9, .epochs = 5}, on_host);
  CHECK(on_cuda.text == on_host.text);
  CHECK(got.epochs.size() == 2);
  CHECK(has(got.stopped, "enough"));

  const auto never_better = SGD{.lr = 0};
  Network<Tiny, Cuda> idle;
  const auto before = values(idle);
  const auto stopped = fit(idle, data, NLLLoss{}, never_better, {.batch_size = 9, .epochs = 9, .validation = &data},
                           EarlyStopping{.patience = 2});
  CHECK(stopped.epochs.size() == 3);
  CHECK(same(before, values(idle)));
}

TEST_CASE("a batch size of 2^32 or more, as for all rows at once") {
  const FreshCuda cuda_runtime;
  const auto x = inputs<Tiny::InputRow>(10);
  const auto labels = labels_for(10, 4);
  const auto data = dataset(x, labels);
  for (const std::size_t batch : {std::size_t{1} << 32, std::numeric_limits<std::size_t>::max()}) {
    CAPTURE(batch);
    const auto last_words_on = [&](auto device) {
      return last_words_of([&] {
        Network<Tiny> whole;
        fit(whole, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 10});
        Network<Tiny, decltype(device)> net;
        const History history = fit(net, data, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = batch});
        std::puts(history.stopped.c_str());
        if (norm_error(values(net), values(whole)) < 1e-5) std::puts("close");
      });
    };
    CHECK(has(last_words_on(Host{}), "close"));
    CHECK(has(last_words_on(Cuda{}), "close"));
  }
}
