// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sinter/kernels/cuda/launch.cuh"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Does nothing: represents the kernels of a model where the host queries what they were compiled for.
template <class Model, class T>
struct Probe {
  static constexpr bool whole_grid = true;
  static constexpr int threads = 256;
  struct Args {
    int nothing;
  };
  template <class X>
  SINTER_FN static void run(X&, const Args&) {}
};

SINTER_COLD inline std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

/// Kernels that were allowed more than 48 KB of shared memory: once for a kernel and a device, for the lifetime of the
/// process.
class AllowedKernels {
 public:
  static void allow(const void* kernel, int device, std::size_t bytes) {
    static AllowedKernels only;
    const std::lock_guard lock(only.mutex_);
    const auto known = std::find_if(only.all_.begin(), only.all_.end(),
                                    [&](const Allowed& a) { return a.kernel == kernel && a.device == device; });
    if (known != only.all_.end() && known->bytes == bytes) return;
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               "asking for the shared memory of a kernel");
    if (known != only.all_.end())
      known->bytes = bytes;
    else
      only.all_.push_back({kernel, device, bytes});
  }

 private:
  struct Allowed {
    const void* kernel;
    int device;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::vector<Allowed> all_;
};

/// The kernels of a model on a device. They may have been compiled for an older one (the driver then compiles their PTX
/// for this), so the shared memory of a block depends on both.
struct Loaded {
  Cuda device;
  int capability;      // that they were compiled for: 75 is 7.5
  std::size_t shared;  // bytes of a block
  bool overlaps;       // whether a kernel can be made ready before the one before it has ended
  // Kernels known to be allowed more: launches then take no lock.
  std::shared_ptr<std::vector<const void*>> allowed = std::make_shared<std::vector<const void*>>();

  template <class Model, class T>
  static Loaded of(const Cuda& device) {
    check_cuda_device(device);
    const CurrentCudaDevice current(device.device);
    int most = 0;
    cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.device),
               "asking for the shared memory of a CUDA device");
    cudaFuncAttributes attributes{};
    cuda_check(cudaFuncGetAttributes(&attributes, kernel_of<Probe<Model, T>>()), "loading the kernels of a network");
    int driver = 0;
    cuda_check(cudaDriverGetVersion(&driver), "asking for the version of the CUDA driver");
    const int capability = attributes.ptxVersion;
    return {device, capability, std::min(static_cast<std::size_t>(most), shared_memory_of(capability)),
            capability >= overlapping_capability && std::min(driver, CUDART_VERSION) >= overlapping_driver};
  }

  /// On a stream of the device. More than 48 KB of shared memory must be allowed for the address that is launched.
  template <class K>
  void launch(const Cuda& on, const typename K::Args& args, int blocks, std::size_t shared_bytes) const {
    const void* kernel = kernel_of<K>();
    if (shared_bytes > 48 * 1024 && std::find(allowed->begin(), allowed->end(), kernel) == allowed->end()) {
      AllowedKernels::allow(kernel, device.device, shared);
      allowed->push_back(kernel);
    }
    gpu_kernels::launch<K>(on, args, blocks, shared_bytes);
  }
  /// The same for one with less, after another kernel of the network.
  template <class K>
  void launch_next(const Cuda& on, const typename K::Args& args, int blocks, std::size_t shared_bytes = 0) const {
    gpu_kernels::launch<K>(on, args, blocks, shared_bytes, overlaps);
  }

  [[noreturn]] SINTER_COLD void fail_to_fit(CudaPlan plan) const {
    fail(std::string("the plan ") + name_of(plan) + " of this network needs more than the " + std::to_string(shared) +
         " bytes that a block has on CUDA device " + std::to_string(device.device) +
         ", in code for compute capability " + capability_text(capability) +
         "; let Cuda choose, or take CudaWith<CudaPlan::layers>");
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
