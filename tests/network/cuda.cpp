// SPDX-License-Identifier: MIT
// labels: cuda
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/error_of.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/gradient_check.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<2, 8, 7>, Conv2d<5, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 2>, Dropout2d<0.5>,
                        Tanh, Flatten, Linear<9>, ReLU, Dropout<0.5>, Linear<4>, LogSoftmax> {};
using NetRow = Net::InputRow;

struct Fake {
  Fake() { fake_cuda::reset(); }
  ~Fake() {
    const auto counters = fake_cuda::counters();
    CHECK(counters.overruns == 0);
    CHECK(counters.bad_frees == 0);
    CHECK(counters.live_allocations == 0);
  }
};

}  // namespace

TEST_CASE("the same seed gives the same weights on both, and assignment copies them") {
  const Fake fake;
  Network<Net, Cuda> cuda{{.seed = 3}};
  Network<Net> host{{.seed = 3}}, other{{.seed = 4}};
  const auto copy = cuda.to_host();
  CHECK(same(std::vector<float>(copy.data(), copy.data() + copy.size()), weights(host)));
  cuda = other;
  host = cuda;
  CHECK(same(weights(host), weights(other)));
  const Network<Net, Cuda> again = cuda;
  host = again;
  CHECK(same(weights(host), weights(other)));
}

TEST_CASE("predict, forward, score and evaluate are those of the host") {
  const Fake fake;
  const Network<Net, Cuda> cuda{{.seed = 3}};
  const Network<Net> host{{.seed = 3}};
  const auto x = inputs<NetRow>(131);
  const auto labels = labels_for(131, 4);
  const auto data = dataset(x, labels);
  const auto want = predict(host, data), got = predict(cuda, data);
  CHECK(norm_error(got.values(), want.values()) < 1e-6);
  const auto [loss, accuracy] = evaluate(cuda, data, NLLLoss{});
  const auto on_host = evaluate(host, data, NLLLoss{});
  CHECK(loss == doctest::Approx(on_host.loss).epsilon(1e-6));
  CHECK(accuracy == on_host.accuracy);
  CHECK(score(cuda, data) == on_host.accuracy);
  auto workspace = cuda.workspace(7);
  const auto y = cuda.forward(x.view().slice(3, 7), workspace);
  CHECK(norm_error(std::vector<float>(y.data, y.data + 28), std::vector<float>(want.data() + 12, want.data() + 40)) <
        1e-6);
}

TEST_CASE("fit and a loop of steps train as the host does") {
  const Fake fake;
  const auto x = inputs<NetRow>(75);
  const auto labels = labels_for(75, 4);
  const auto data = dataset(x, labels);
  const auto check = [&](auto optimizer) {
    Network<Net, Cuda> cuda;
    Network<Net> host;
    const FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 16, .epochs = 2, .validation = &data, .interval = 2};
    const History got = fit(cuda, data, NLLLoss{}, optimizer, options), want = fit(host, data, NLLLoss{}, optimizer, options);
    REQUIRE(got.epochs.size() == 2);
    REQUIRE(got.intervals.size() == want.intervals.size());
    for (std::size_t e = 0; e < 2; ++e) {
      CHECK(got.epochs[e].train_loss == doctest::Approx(want.epochs[e].train_loss).epsilon(1e-5));
      CHECK(got.epochs[e].validation_loss == doctest::Approx(want.epochs[e].validation_loss).epsilon(1e-5));
    }
    Network<Net> after;
    after = cuda;
    CHECK(norm_error(weights(after), weights(host)) < 1e-5);
  };
  check(SGD{.lr = 0.05, .momentum = 0.9});
  check(Adam{.lr = 0.003});
}
