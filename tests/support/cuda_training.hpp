// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "sinter/sinter.cuh"
#include "support/fake_cuda/fake_cuda.hpp"

namespace sinter_test {

/// A fresh fake runtime, which checks that nothing is leaked and nothing was written beside an allocation.
struct FreshCuda {
  FreshCuda() { fake_cuda::reset(); }
  FreshCuda(const FreshCuda&) = delete;
  ~FreshCuda() {
    const auto counters = fake_cuda::counters();
    CHECK(counters.overruns == 0);
    CHECK(counters.bad_frees == 0);
    CHECK(counters.live_allocations == 0);
    fake_cuda::reset();
  }
};

/// A network for each plan of training.
namespace plans {
using namespace sinter::internal;

struct Tiny : Sequential<Input<3>, Linear<7>, ReLU, Dropout<0.3>, Linear<6>, Tanh, Linear<4>, LogSoftmax> {};
struct Middle : Sequential<Input<1, 9, 8>, Conv2d<5, 3>, MaxPool2d<Kernel<1, 2>>, ReLU, Dropout2d<0.3>, Flatten,
                           Linear<300>, ReLU, Dropout<0.5>, Linear<4>, LogSoftmax> {};
struct Wide : Sequential<Input<3>, Linear<16000>, ReLU, Dropout<0.5>, Linear<4>, LogSoftmax> {};

template <class Model, class Optimizer>
constexpr CudaPlan plan_of(int batch) {
  return gpu_kernels::Choose<Model, float, Optimizer::states>::plan(batch, 227 * 1024);
}
static_assert(plan_of<Tiny, SGD>(16) == CudaPlan::resident && plan_of<Tiny, Adam>(16) == CudaPlan::resident);
static_assert(plan_of<Middle, SGD>(16) == CudaPlan::pair && plan_of<Middle, Adam>(16) == CudaPlan::pair);
static_assert(plan_of<Wide, SGD>(16) == CudaPlan::layers && plan_of<Wide, Adam>(1) == CudaPlan::layers);
}  // namespace plans

/// The parameter arena of a network on any device, in the memory of the host.
template <class Net>
std::vector<typename Net::Scalar> values(const Net& net) {
  const auto& arena = net.to_host();
  return {arena.data(), arena.data() + arena.size()};
}

}  // namespace sinter_test
