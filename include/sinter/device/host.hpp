// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/isa.hpp"
#include "sinter/device/thread_pool.hpp"

SINTER_NAMESPACE_BEGIN

/// The CPU, with the instruction set that this translation unit is compiled for: units compiled for different ones
/// share no symbol. `Host{.threads = 2}` trains and predicts on two threads; copies share them.
template <class Isa>
struct HostFor {
  using ISA = Isa;
  int threads = 1;
  ThreadPool pool{threads};

  static constexpr const char* name = "host";
};
using Host = HostFor<isa::Native>;

SINTER_NAMESPACE_END
