// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "sinter/device/cuda.cuh"
#include "sinter/device/host.hpp"
#include "sinter/kernels/cuda/loaded.cuh"
#include "sinter/kernels/gpu/choose.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/precision.hpp"

SINTER_NAMESPACE_BEGIN

/// Picks the host or a GPU at run time, by the estimated cost of a training step of a batch on each, and says what it
/// picked and why. Small networks are faster on the host: launching a step costs more than the step.
///
///     AnyDevice<LeNet> any(200);
///     std::puts(any.why().c_str());
///     any.run([&](auto device) { Network<LeNet, decltype(device)> net{device}; .. });
template <class ModelType, class Precision = Float32, class Model = detail::ModelOf<ModelType>>
class AnyDevice {
  using Choose = gpu_kernels::Choose<Model, typename Precision::Scalar, 1>;

 public:
  explicit AnyDevice(std::size_t batch, Host host = {}) : host_(std::move(host)) {
    if (batch == 0) fail("AnyDevice was given a batch of 0 rows; give it 1 or more");
    const int rows = static_cast<int>(batch);
    const double on_host = host_cost + Choose::operations_per_row * rows / (host_rate * host_.pool.size());
    const auto devices = cuda_devices();
    if (devices.empty()) {
      why_ = "host: " + why_no_cuda();
      return;
    }
    const auto best = std::max_element(devices.begin(), devices.end(), [](const CudaDevice& a, const CudaDevice& b) {
      return a.multiprocessors < b.multiprocessors;
    });
    cuda_.device = best->index;
    const std::size_t shared = gpu_kernels::Loaded::of<Model, typename Precision::Scalar>(cuda_).shared;
    const CudaPlan plan = Choose::plan(rows, shared);
    const double on_cuda = Choose::cost(plan, rows, shared);
    is_cuda_ = on_cuda < on_host;
    why_ = std::string(is_cuda_ ? "cuda, device " + std::to_string(best->index) + " \"" + best->name + "\"" : "host") +
           ": a step of " + std::to_string(batch) + " rows is estimated at " + microseconds(on_host) +
           " on the host (threads: " + std::to_string(host_.pool.size()) + ") and " + microseconds(on_cuda) +
           " on the GPU by the plan " + name_of(plan);
  }

  bool is_cuda() const { return is_cuda_; }
  const std::string& why() const { return why_; }

  /// f(device) with the one that was picked, a Host or a Cuda.
  template <class F>
  decltype(auto) run(F&& f) const {
    if (is_cuda_) return std::forward<F>(f)(cuda_);
    return std::forward<F>(f)(host_);
  }

 private:
  static constexpr double host_cost = 0.5;   // microseconds
  static constexpr double host_rate = 90e3;  // floating-point operations of a thread in a microsecond

  static std::string microseconds(double us) {
    const long tenths = static_cast<long>(us * 10 + 0.5);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " us";
  }

  Host host_;
  Cuda cuda_{};
  bool is_cuda_ = false;
  std::string why_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::AnyDevice;
}  // namespace sinter
