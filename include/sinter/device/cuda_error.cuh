// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// 12080, which CUDA calls 12.8.
SINTER_COLD inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// CUDA has one error for a driver that is too old and for none at all.
SINTER_COLD inline std::string insufficient_driver_text() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    return "no NVIDIA driver was found; install one (a container must be started with access to it, such as --gpus "
           "all), or run on sinter::Host";
  return "the NVIDIA driver is too old: it knows CUDA " + cuda_version_text(driver) +
         ", and this program was built with CUDA " + cuda_version_text(CUDART_VERSION) +
         "; install a newer driver, build with CUDA " + std::to_string(driver / 1000) + ", or run on sinter::Host";
}

SINTER_COLD inline std::string invalid_device_text() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return "there is no such device";
  return "there are " + std::to_string(count) + " devices, numbered from 0; sinter::cuda_devices() lists them";
}

SINTER_COLD inline std::string out_of_memory_text() {
  constexpr const char* advice = "train with smaller batches or a smaller network, or end what else uses the device";
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return advice;
  return std::to_string(free >> 20) + " of the device's " + std::to_string(total >> 20) + " MiB are free; " + advice;
}

SINTER_COLD inline std::string other_architecture_text() {
  std::string device = "this device";
  int index = 0, major = 0, minor = 0;
  if (cudaGetDevice(&index) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index) == cudaSuccess)
    device += " (compute capability " + std::to_string(major) + "." + std::to_string(minor) + ")";
  return "the program was built for other architectures than that of " + device +
         "; compile with -arch=native on this machine, or with -arch=all-major";
}

/// Errors that stay until the process ends: no CUDA call succeeds any more.
constexpr bool cuda_context_is_lost(cudaError_t code) {
  switch (code) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

/// The cause, and what to do.
SINTER_COLD inline std::string cuda_advice(cudaError_t code) {
  if (cuda_context_is_lost(code))
    return "CUDA reports this late: a kernel launched before is at fault, perhaps one of your own (compute-sanitizer "
           "finds it); the device's context is lost and every further CUDA call fails, so start the program again; "
           "parameters and other data in host memory can still be read and saved";
  switch (code) {
    case cudaErrorInsufficientDriver:
      return insufficient_driver_text();
    case cudaErrorNoDevice:
      return "the NVIDIA driver shows no device; see what nvidia-smi lists and whether CUDA_VISIBLE_DEVICES hides it, "
             "or run on sinter::Host";
    case cudaErrorInvalidDevice:
      return invalid_device_text();
    case cudaErrorMemoryAllocation:
      return out_of_memory_text();
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return other_architecture_text();
    case cudaErrorUnsupportedPtxVersion:
      return other_architecture_text() + " (its PTX is of a newer CUDA than the driver: a newer driver helps too)";
    default:
      return "run the program under compute-sanitizer, which names the call";
  }
}

SINTER_COLD inline std::string cuda_error_text(cudaError_t code) {
  return std::string(cudaGetErrorName(code)) + " (" + cudaGetErrorString(code) + "): " + cuda_advice(code);
}

/// Clears the error of a call that sinter made, so that the next cudaGetLastError() of the user does not find it. (One
/// that the user's own calls left stays: sinter judges its calls by what they return.)
inline void forget_cuda_error() { (void)cudaGetLastError(); }

[[noreturn]] SINTER_COLD inline void fail_cuda(cudaError_t code, const char* doing) {
  const std::string text = cuda_error_text(code);
  forget_cuda_error();
  fail(std::string(doing) + " failed: " + text);
}

}  // namespace detail

/// Fails unless `code` is cudaSuccess. `doing` is what sinter was doing: "copying numbers to a CUDA device".
inline void cuda_check(cudaError_t code, const char* doing) {
  if (code != cudaSuccess) [[unlikely]]
    detail::fail_cuda(code, doing);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::cuda_check;
}  // namespace sinter
