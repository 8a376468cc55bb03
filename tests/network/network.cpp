// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 8, 7>, Conv2d<5, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 2>, Dropout2d<0.5>,
                        Tanh, Flatten, Linear<9>, ReLU, Dropout<0.5>, Linear<4>, LogSoftmax> {};
using NetRow = Net::InputRow;

template <class N>
std::vector<float> outputs(const N& net, const Tensor<float, NetRow>& x) {
  auto workspace = net.workspace(x.rows());
  const auto y = net.forward(x, workspace);
  CHECK(y.rows == x.rows());
  return {y.data, y.data + x.rows() * 4};
}

}  // namespace

TEST_CASE("buffers are named as PyTorch names them, follow the parameters and decide what forward returns") {
  struct Normalized : Sequential<Input<3>, Linear<4>, Residual<Path<BatchNorm1d<>>>, BatchNorm1d<NoAffine>> {};
  Network<Normalized> net{{.seed = 1}};
  const Network<Normalized>& same = net;
  const auto buffers = same.buffers();
  const char* const names[] = {"1.path.0.running_mean", "1.path.0.running_var", "2.running_mean", "2.running_var"};
  REQUIRE(buffers.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(buffers[i].name == names[i]);
    CHECK(buffers[i].shape == std::vector<int>{4});
    CHECK(buffers[i].gradient.empty());
    for (const float x : buffers[i].value) CHECK(x == (i % 2 ? 1.0f : 0.0f));
  }
  CHECK(net.parameters().size() == 4);
  const auto x = inputs<Shape<3>>(2);
  const auto before = predict(net, x);
  net.buffers()[2].value[3] = 2;
  const auto after = predict(net, x);
  CHECK(after(1, 2) == before(1, 2));
  CHECK(after(1, 3) == doctest::Approx(before(1, 3) - 2 / std::sqrt(1 + 1e-5)));
}

TEST_CASE("forward, predict and rows alone agree bit for bit, at any batch and on any threads") {
  const Network<Net> net{{.seed = 3}};
  const Network<Net> on_two{Host{.threads = 2}, {.seed = 3}}, on_seven{Host{.threads = 7}, {.seed = 3}};
  for (const std::size_t rows :
       {std::size_t{1}, std::size_t{4}, std::size_t{7}, std::size_t{8}, std::size_t{9}, std::size_t{131}}) {
    CAPTURE(rows);
    const auto x = inputs<NetRow>(rows);
    const auto y = outputs(net, x);
    const auto labels = labels_for(rows, 4);
    const auto data = dataset(x, labels);
    for (const auto* on : {&net, &on_two, &on_seven}) {
      const auto all = predict(*on, data);
      CHECK(same(std::vector<float>(all.values().begin(), all.values().end()), y));
    }
    auto workspace = net.workspace(1);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto one = net.forward(x.view().slice(row, 1), workspace);
      CHECK(std::memcmp(one.data, y.data() + row * 4, 4 * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("steps are the same bits on 1, 2, 3 and 7 threads, twice in a row, and in a copy") {
  const auto x = inputs<NetRow>(75);
  const auto labels = labels_for(75, 4);
  const auto after_steps = [&](auto net) {
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.05, .momentum = 0.9}};
    for (int i = 0; i < 4; ++i) trainer.step(x, labels);
    return weights(net);
  };
  const Network<Net> one{Host{.threads = 1}, {.seed = 5}};
  const auto want = after_steps(one);
  CHECK(!same(want, weights(one)));
  CHECK(same(after_steps(one), want));
  for (const int threads : {2, 3, 7})
    CHECK(same(after_steps(Network<Net>{Host{.threads = threads}, {.seed = 5}}), want));
  CHECK(!same(after_steps(Network<Net>{{.seed = 6}}), want));
}

TEST_CASE("a network is a value") {
  const auto x = inputs<NetRow>(9);
  const auto labels = labels_for(9, 4);
  Network<Net> net{{.seed = 2}};
  const Network<Net> copy = net;
  const auto before = weights(net);
  Trainer{net, NLLLoss{}, SGD{.lr = 0.1}}.step(x, labels);
  CHECK(!same(weights(net), before));
  CHECK(same(weights(copy), before));

  Network<Net> assigned{{.seed = 9}};
  assigned = net;
  CHECK(same(weights(assigned), weights(net)));
  Network<Net> moved = std::move(assigned);
  CHECK(same(weights(moved), weights(net)));
  CHECK(same(outputs(moved, x), outputs(net, x)));

  Network<Net, Host, Float64> in_double;
  in_double = net;
  for (std::size_t i = 0; i < weights(net).size(); ++i)
    CHECK(in_double.data()[i] == static_cast<double>(net.data()[i]));
  Network<Net> back;
  back = in_double;
  CHECK(same(weights(back), weights(net)));
}

TEST_CASE("parameters have PyTorch's names and shapes, and are views of the network") {
  Network<Net> net;
  const auto all = net.parameters();
  REQUIRE(all.size() == 8);
  CHECK(all[0].name == "0.weight");
  CHECK(all[0].shape == std::vector<int>{5, 2, 3, 3});
  CHECK(all[1].name == "0.bias");
  CHECK(all[7].name == "10.bias");
  CHECK(all[7].shape == std::vector<int>{4});
  CHECK(all[0].gradient.empty());
  net.parameter("0.weight")[0] = 42;
  CHECK(net.data()[0] == 42);
  CHECK(error_of([&] { net.parameter("1.weight"); }).find("\"1.weight\"; this network has 0.weight, 0.bias") !=
        std::string::npos);
}

TEST_CASE("training leaves the gaps between parameters alone") {
  Network<Net> net;
  const auto x = inputs<NetRow>(9);
  Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.1}};
  for (int i = 0; i < 3; ++i) trainer.step(x, labels_for(9, 4));
  std::vector<char> used(weights(net).size());
  for (const Parameter& p : Program<Net>::parameters) std::fill_n(used.begin() + p.offset, p.size, char{1});
  for (std::size_t i = 0; i < weights(net).size(); ++i)
    if (!used[i]) CHECK(net.data()[i] == 0);
}

TEST_CASE("one const network serves many threads, a workspace each") {
  const Network<Net> net{{.seed = 4}};
  const auto x = inputs<NetRow>(21);
  const auto want = outputs(net, x);
  std::vector<std::thread> threads;
  std::vector<int> right(6);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      auto workspace = net.workspace(21);
      for (int i = 0; i < 20; ++i) {
        const auto y = net.forward(x, workspace);
        right[t] += std::memcmp(y.data, want.data(), want.size() * sizeof(float)) == 0;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(6, 20));
}

TEST_CASE("networks that share a device's threads may predict and train at once") {
  const Host host{.threads = 3};
  const auto x = inputs<NetRow>(70);
  const auto labels = labels_for(70, 4);
  const auto data = dataset(x, labels);
  const auto trained = [&](Network<Net> net) {
    Trainer trainer{net, NLLLoss{}, SGD{.lr = 0.05}};
    for (int i = 0; i < 5; ++i) trainer.step(x, labels);
    return weights(net);
  };
  const Network<Net> net{host, {.seed = 8}};
  const auto want = trained(net);
  const auto predicted = predict(net, data);
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      if (t % 2 == 0)
        right[t] = same(trained(net), want);
      else
        right[t] = std::ranges::equal(predict(net, data).values(), predicted.values());
    });
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 1));
}

TEST_CASE("impossible workspaces are refused") {
  const Network<Net> net;
  CHECK(error_of([&] { net.workspace(0); }).find("0 rows") != std::string::npos);
  CHECK(error_of([&] { net.workspace(static_cast<std::size_t>(-1)); }).find("batches of -1 rows") != std::string::npos);
  CHECK(error_of([&] { net.workspace(static_cast<std::size_t>(-1)); }).find("1 or more, and at most 2147483647") !=
        std::string::npos);
}

TEST_CASE("a network that was moved from takes the parameters of another precision") {
  struct Small : sinter::Sequential<sinter::Input<3>, sinter::Linear<2>> {};
  sinter::Network<Small> from{{.seed = 1}};
  const sinter::Network<Small, sinter::Host, sinter::Float64> other{{.seed = 2}};
  const auto moved = std::move(from);
  from = other;
  CHECK(from.data()[0] == static_cast<float>(other.data()[0]));
}
TEST_CASE("outputs of a hundred thousand numbers do not need the stack") {
  struct Wide : sinter::Sequential<sinter::Input<1, 256, 512>, sinter::Conv2d<1, 1>> {};
  sinter::Network<Wide> net{{.seed = 1}};
  sinter::Trainer trainer{net, sinter::MSELoss{}, sinter::SGD{.lr = 0.01}};
  const sinter::Tensor<float, sinter::Shape<1, 256, 512>> x(2);
  CHECK(trainer.step(x, x) >= 0);
}

TEST_CASE("weights that are too large for a float are refused by a network of floats, which stays as it was") {
  struct Net : Sequential<Input<2>, Linear<2>> {};
  Network<Net, Host, Float64> wide{{.seed = 1}};
  Network<Net> narrow{{.seed = 2}};
  const std::vector<float> before(narrow.data(), narrow.data() + 4);
  wide.data()[3] = 1e300;
  CHECK(has(error_of([&] { narrow = wide; }), "a weight that is too large for a float was assigned to one of floats"));
  CHECK(std::vector<float>(narrow.data(), narrow.data() + 4) == before);
  wide.data()[3] = std::numeric_limits<double>::infinity();  // what it is already
  narrow = wide;
  CHECK(std::isinf(narrow.data()[3]));
}

TEST_CASE("a network is made from one of another precision or device") {
  const Network<Net> net{Host{.threads = 2}, {.seed = 5}};
  const Network<Net, Host, Float64> in_double = net;
  CHECK(in_double.seed() == 5);
  CHECK(in_double.device().threads == 2);
  CHECK(static_cast<float>(in_double.data()[3]) == net.data()[3]);
  const Network<Net, Reference> reference = net;
  CHECK(std::equal(net.data(), net.data() + 100, reference.data()));
  const Network<Truncate<Net, 3>> first = net;
  CHECK(std::equal(first.parameter("0.weight").begin(), first.parameter("0.weight").end(), net.data()));
}

TEST_CASE("the parameters of a const network can be read") {
  const Network<Net> net;
  const auto all = net.parameters();
  static_assert(std::is_same_v<decltype(all[0].value), std::span<const float>>);
  CHECK(all[0].name == "0.weight");
  CHECK(all[0].value.data() == net.data());
  CHECK(net.parameter("0.bias").size() == 5);
}

TEST_CASE("a workspace that was moved from says so") {
  const Network<Net> net;
  auto workspace = net.workspace(2);
  const auto x = inputs<NetRow>(1);
  auto moved = std::move(workspace);
  const std::string gone =
      "a workspace was used that has been moved from; use the one that it was moved to, or make one";
  CHECK(last_words_of([&] { net.forward(x, workspace); }).find("sinter: " + gone) == 0);
  CHECK(moved.max_batch() == 2);
  workspace = std::move(moved);
  CHECK(net.forward(x, workspace).rows == 1);
  CHECK(last_words_of([&] { net.forward(x, moved); }).find("sinter: " + gone) == 0);
}

TEST_CASE("a network is made of options, a device or a network of the same model, and of nothing else") {
  struct Other : Sequential<Input<3>, Linear<2>> {};
  using N = Network<Net>;
  CHECK(std::is_constructible_v<N, NetworkOptions>);
  CHECK(std::is_constructible_v<N, Host>);
  CHECK(std::is_constructible_v<N, Host, NetworkOptions>);
  CHECK(std::is_constructible_v<N, Network<Net, Reference>>);
  CHECK_FALSE(std::is_constructible_v<N, int>);
  CHECK_FALSE(std::is_constructible_v<N, const char*>);
  CHECK_FALSE(std::is_constructible_v<N, std::string>);
  CHECK_FALSE(std::is_constructible_v<N, int, NetworkOptions>);
  CHECK_FALSE(std::is_constructible_v<N, Network<Other>>);
  CHECK_FALSE(std::is_convertible_v<int, N>);
}

TEST_CASE("rows at a null pointer are refused") {
  Network<Net> net;
  auto workspace = net.workspace(10);
  const TensorView<const float, NetRow> nowhere{nullptr, 10};
  const std::string words = "10 rows at a null pointer; give the address of the first number";
  CHECK(last_words_of([&] { net.forward(nowhere, workspace); }).find("sinter: forward was given " + words) == 0);
  Trainer trainer(net, NLLLoss{}, SGD{});
  CHECK(error_of([&] { trainer.step(nowhere, std::vector<int>(10)); }) == "the inputs have " + words);
  CHECK(error_of([&] {
          trainer.step(inputs<NetRow>(10), std::span<const int>(static_cast<const int*>(nullptr), 10));
        }) == "the labels have " + words);
  CHECK(net.forward(TensorView<const float, NetRow>{nullptr, 0}, workspace).rows == 0);
}

TEST_CASE("a network that was moved from says so") {
  Network<Net> net;
  auto workspace = net.workspace(1);
  const auto x = inputs<NetRow>(1);
  const Network<Net> taken = std::move(net);
  const std::string gone = "a network was used that has been moved from; use the one that it was moved to";
  CHECK(last_words_of([&] { net.forward(x, workspace); }).find("sinter: " + gone) == 0);
  CHECK(error_of([&] { predict(net, x); }).find(gone) == 0);
  CHECK(error_of([&] { net.parameters(); }).find(gone) == 0);
  CHECK(error_of([&] {
          Trainer trainer(net, NLLLoss{}, SGD{});
          trainer.step(x, std::vector<int>{1});
        }).find(gone) == 0);
  net = taken;
  CHECK(net.data()[0] == taken.data()[0]);
}
