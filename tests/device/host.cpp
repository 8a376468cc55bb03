// SPDX-License-Identifier: MIT
#include "sinter/device/host.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sinter/layers/linear.hpp"
#include "sinter/parallel/ensemble.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
struct Line : Sequential<Input<2>, Linear<1>> {};
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
