// SPDX-License-Identifier: MIT
#include "sinter/device/host.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace sinter;

TEST_CASE("a program compiled for less than the machine has says so, and only then") {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512vl");
  CHECK((std::string(HostFor<isa::Portable>{}.note()).find("without AVX2") != std::string::npos) == avx2);
  CHECK((std::string(HostFor<isa::Avx2>{}.note()).find("without AVX-512") != std::string::npos) == avx512);
#endif
  CHECK(std::string(HostFor<isa::Avx512>{}.note()).empty());
}

TEST_CASE("copies of a device share its threads") {
  const Host host{.threads = 3};
  const Host copy = host;
  CHECK(host.pool.size() == 3);
  CHECK(copy.pool.size() == 3);
  CHECK(Host{}.pool.size() == 1);
}
