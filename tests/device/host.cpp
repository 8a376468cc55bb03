// SPDX-License-Identifier: MIT
#include "sinter/device/host.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "sinter/data/disc.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/parallel/ensemble.hpp"
#include "sinter/train/fit.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
struct Line : Sequential<Input<2>, Linear<1>> {};
struct Classes : Sequential<Input<2>, Linear<128>, Tanh, Linear<128>, Tanh, Linear<2>> {};
}  // namespace

TEST_CASE("a program compiled for less than the machine has says so, and only then") {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512vl");
  CHECK((std::string(HostFor<isa::Portable>{}.note<true>()).find("without AVX2") != std::string::npos) == avx2);
  CHECK((std::string(HostFor<isa::Avx2>{}.note<true>()).find("without AVX-512") != std::string::npos) == avx512);
#endif
  CHECK(std::string(HostFor<isa::Avx512>{}.note<true>()).empty());
}

TEST_CASE("copies of a device share its threads") {
  const Host host{.threads = 3};
  const Host copy = host;
  CHECK(host.pool.size() == 3);
  CHECK(copy.pool.size() == 3);
  CHECK(Host{}.pool.size() == 1);
}

TEST_CASE("a program compiled without optimisation says so") {
  CHECK(std::string(Host{}.note<false>()).find("compiled without optimisation: add -O3") == 0);
}

TEST_CASE("a number of threads that makes no sense is refused") {
  CHECK(error_of([] { static_cast<void>(Host{.threads = 0}); }) ==
        "a device with 0 threads was asked for; ask for 1 or more");
  CHECK(error_of([] { static_cast<void>(Host{.threads = -1}); }) ==
        "a device with -1 threads was asked for; ask for 1 or more");
  CHECK(error_of([] { static_cast<void>(Host{.threads = 2'000'000'000}); }) ==
        "a device with 2000000000 threads was asked for; ask for one for each core, and at most 4096");
}

TEST_CASE("threads may spin for longer than microseconds can count") {
  CHECK(Host{.spin = std::chrono::seconds::max()}.spin == std::chrono::hours(1));
  CHECK(Host{.spin = std::chrono::milliseconds(2)}.spin == std::chrono::microseconds(2000));
}

TEST_CASE("threads that are assigned are there when a network gets the device") {
  Host host;
  host.threads = 3;
  const Network<Line> net{host};
  CHECK(net.device().pool.size() == 3);
  const Ensemble<Line> nets(host, 2);
  CHECK(nets[0].device().pool.size() == 3);
  host.threads = 0;
  CHECK(error_of([&] { Network<Line>{host}; }).find("0 threads") != std::string::npos);
}

TEST_CASE("options that are assigned hold for the next network that gets the device, and for no other") {
  using namespace std::chrono_literals;
  Host host{.threads = 2};
  const Network<Line> before{host};
  host.spin = 0us;
  const Network<Line> sleepy{host};
  CHECK(sleepy.device().pool.is(2, 0us, {}));
  int asked = 0;
  host.executor = [&asked](int n, Host::Task task) {
    ++asked;
    for (int i = 0; i < n; ++i) task(i);
  };
  const Network<Line> net{host};
  net.device().pool.run(2, [](int, int) {});
  CHECK(asked == 1);
  before.device().pool.run(2, [](int, int) {});
  CHECK(asked == 1);
}

TEST_CASE("a training on threads of the caller's has the same bits, whatever their order") {
  const auto trained = [](const Host& host) {
    Network<Classes> net{host, {.seed = 3}};
    fit(net, disc(300, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.batch_size = 100, .epochs = 2});
    return std::vector<float>(net.data(), net.data() + 17154);
  };
  int asked = 0;
  const Host::Executor apart = [&asked](int n, Host::Task task) {
    ++asked;
    std::vector<std::thread> threads;
    for (int i = 0; i < n; ++i) threads.emplace_back(task, i);
    for (auto& thread : threads) thread.join();
  };
  const Host::Executor backwards = [](int n, Host::Task task) {
    for (int i = n - 1; i >= 0; --i) task(i);
  };
  const auto expected = trained({});
  CHECK(trained({.threads = 3, .executor = apart}) == expected);
  CHECK(asked >= 6);  // each step
  CHECK(trained({.threads = 3, .executor = backwards}) == expected);
}
