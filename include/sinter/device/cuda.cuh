// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/device/cuda_error.cuh"
#include "sinter/device/cuda_plan.hpp"
#include "sinter/device/cuda_products.hpp"
#include "sinter/device/cuda_stream.cuh"

SINTER_NAMESPACE_BEGIN

/// A GPU, and the stream that sinter puts its work on: `Cuda{.device = 1}`. A network without a stream takes one of the
/// thread that makes it, apart from those of other threads, and in order with kernels and copies of your own on CUDA's
/// default stream, which is that of a CudaArray. A stream must belong to the device and outlive everything made with
/// it. `CudaWith<CudaPlan::layers>` trains by that plan and no other; `Cuda` chooses.
template <CudaPlan Plan, CudaProducts Products = CudaProducts::float32>
struct CudaWith {
  int device = 0;
  cudaStream_t stream = nullptr;

  static constexpr const char* name = "cuda";
  static constexpr CudaPlan plan = Plan;
  static constexpr CudaProducts products = Products;

  // A template, because nvcc warns of a conversion to its own type.
  template <CudaPlan Any>
    requires(Any == CudaPlan::automatic && (Plan != CudaPlan::automatic || Products != CudaProducts::float32))
  operator CudaWith<Any>() const {
    return {device, stream};
  }
  friend bool operator==(const CudaWith&, const CudaWith&) = default;
  /// Prepares the device that a network is given.
  void settle();
};
/// An NVIDIA GPU, which trains by the plan that should take the least time.
using Cuda = CudaWith<CudaPlan::automatic>;

/// A GPU of this machine, as cuda_devices() lists it.
struct CudaDevice {
  int index;
  std::string name;
  int major, minor;  // compute capability
  std::size_t memory_bytes;
  int multiprocessors;
  std::size_t shared_memory_per_block;  // the most that a kernel can opt in to
};

namespace detail {
inline CudaDevice cuda_device(int index) {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, index), "asking for the properties of a CUDA device");
  return {index,
          properties.name,
          properties.major,
          properties.minor,
          properties.totalGlobalMem,
          properties.multiProcessorCount,
          properties.sharedMemPerBlockOptin};
}
}  // namespace detail

/// The devices of this process. 0 without a driver or a device, which is not an error: why_no_cuda() gives the reason.
SINTER_COLD inline std::vector<CudaDevice> cuda_devices() {
  std::vector<CudaDevice> devices;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    detail::forget_cuda_error();
    return devices;
  }
  for (int index = 0; index < count; ++index) devices.push_back(detail::cuda_device(index));
  return devices;
}

/// The reason, as a sentence, if no CUDA device exists.
SINTER_COLD inline std::string why_no_cuda() {
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return "";
  if (code == cudaSuccess) code = cudaErrorNoDevice;
  const std::string text = detail::cuda_error_text(code);
  detail::forget_cuda_error();
  return "there is no CUDA device to use: " + text;
}

/// Fails unless the device exists. Queries only the number of devices: the properties of a device take a driver
/// milliseconds.
SINTER_COLD inline void check_cuda_device(const Cuda& cuda) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) fail(why_no_cuda());
  if (cuda.device >= 0 && cuda.device < count) return;
  std::string text = "CUDA device " + std::to_string(cuda.device) + " was asked for, and there " +
                     (count == 1 ? "is " : "are ") + std::to_string(count);
  for (const CudaDevice& device : cuda_devices())
    text += (device.index == 0 ? ": " : ", ") + std::to_string(device.index) + " \"" + device.name + "\"";
  fail(text + "; take one of these numbers");
}

/// The properties of a device.
SINTER_COLD inline CudaDevice require_cuda_device(const Cuda& cuda) {
  check_cuda_device(cuda);
  return detail::cuda_device(cuda.device);
}

/// Makes a device the current one of this thread for as long as it lives.
class CurrentCudaDevice {
 public:
  explicit CurrentCudaDevice(int device) {
    cuda_check(cudaGetDevice(&previous_), "asking for the current CUDA device");
    if (previous_ == device) return;
    cuda_check(cudaSetDevice(device), ("making CUDA device " + std::to_string(device) + " the current one").c_str());
    changed_ = true;
  }
  /// For destructors: where the device cannot be made current, nothing happens.
  CurrentCudaDevice(int device, std::nothrow_t) noexcept {
    if (cudaGetDevice(&previous_) == cudaSuccess && previous_ == device) return;
    changed_ = cudaSetDevice(device) == cudaSuccess;
    if (!changed_) detail::forget_cuda_error();
  }
  CurrentCudaDevice(const CurrentCudaDevice&) = delete;
  CurrentCudaDevice& operator=(const CurrentCudaDevice&) = delete;
  ~CurrentCudaDevice() {
    if (changed_ && cudaSetDevice(previous_) != cudaSuccess) detail::forget_cuda_error();
  }

 private:
  int previous_ = 0;
  bool changed_ = false;
};

template <CudaPlan Plan, CudaProducts Products>
void CudaWith<Plan, Products>::settle() {
#if !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)  // then the default stream is the thread's already
  if (stream != nullptr) return;
  check_cuda_device(*this);
  const CurrentCudaDevice current(device);
  stream = detail::CudaStreams::of_this_thread(device);
#endif
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Cuda;
using internal::cuda_devices;
using internal::CudaDevice;
using internal::CudaWith;
using internal::why_no_cuda;
}  // namespace sinter
