// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// A CUDA runtime without a GPU: fake_cuda.cpp is linked in place of cudart. Device memory is memory of the host, full
/// of NaN at first; work is done when it is handed over, except in a capture, which records it for the launches of its
/// graph. It is strict: what CUDA would refuse, or only sometimes forgive, is an error. Under AddressSanitizer, host
/// code that reads device memory outside of a kernel or a copy is caught.
///
/// What it does not have: work that runs later than its call, launch attributes, grids and blocks of more than one
/// dimension for kernels that it runs, and graphs within graphs.
namespace sinter_test::fake_cuda {

/// What code compiled by an ordinary compiler launches: the `func` of a launch points to one. The kernel has one
/// argument, a struct by value, of `argument_size` bytes. In code for a compute capability that it does not run on
/// (75 is 7.5) it traps; null: it runs on all.
struct HostKernel {
  std::size_t argument_size;
  void (*run)(const void* argument, unsigned blocks, unsigned threads, std::size_t shared_bytes);
  bool (*runs_on)(int capability) = nullptr;
};

/// What nvcc compiled: a kernel of a fat binary, as objects register them.
struct CompiledKernel {
  const void* binary;
  std::string name;
};
struct Bytes {
  std::byte* data;
  std::size_t size;
};
struct CompiledLaunch {
  unsigned blocks, threads;
  std::size_t shared_bytes;
  std::span<const std::byte> arguments;
  std::vector<Bytes> memory;  // that kernels may touch: of the device, and pinned memory of the host
};
/// Runs what nvcc compiled.
class CompiledCode {
 public:
  virtual ~CompiledCode() = default;
  /// The arguments of a launch, as the kernel reads them.
  virtual std::vector<std::byte> arguments_of(const CompiledKernel& kernel, void** arguments) = 0;
  /// Whether the launch went well; otherwise the context is lost.
  virtual bool run(const CompiledKernel& kernel, const CompiledLaunch& launch) = 0;
};
/// Launches of kernels that nvcc compiled do nothing, but for this.
void run_compiled_code(CompiledCode* code);

struct Device {
  std::string name = "Fake H200";
  int major = 9, minor = 0;
  std::size_t memory_bytes = std::size_t{1} << 30;
  int multiprocessors = 132;
  std::size_t shared_memory_per_block = 227 * 1024;  // after cudaFuncSetAttribute; 48 KB before
};

struct Counters {
  long launches = 0;              // of kernels, outside of graphs
  long overlapping_launches = 0;  // asked to begin before the kernel before has ended; also those that are recorded
  long graph_launches = 0;
  long graph_kernels = 0;  // run by graphs
  long mallocs = 0, frees = 0, host_mallocs = 0, host_frees = 0;
  long copies = 0, memsets = 0;  // graphs' too
  std::size_t bytes_to_device = 0, bytes_to_host = 0;
  long synchronisations = 0;

  // What is there now.
  std::size_t live_bytes = 0;
  long live_allocations = 0, live_host_allocations = 0;
  long live_streams = 0, live_events = 0, live_graphs = 0;  // graphs and executable ones

  long bad_frees = 0;  // of addresses that are no live allocation of the current device
  long overruns = 0;   // allocations, live or freed, with writes beside them
};

/// One device, a driver as new as the runtime, nothing allocated, no errors. Streams stay, and the shared memory that
/// kernels have opted in to: code that has them for the whole process does not opt in again.
void reset();

Counters counters();
/// How often a function of the runtime was called since reset(): "cudaSetDevice".
long calls(const std::string& function);

void set_devices(std::vector<Device> devices);
/// 12080 is 12.8; 0 is no driver.
void set_driver_version(int version);
/// What every kernel was compiled for (75 is 7.5), and what the device runs; at first the capability of the device.
void set_kernel_versions(int ptx, int binary);

/// `function` fails once with `code`, after this many successful calls. An error that loses the context stays.
void fail_next(const std::string& function, cudaError_t code, int after_calls = 0);
/// Every call fails with `code` from now on, as after a kernel that wrote where it must not. A kernel may call this.
void break_context(cudaError_t code);

}  // namespace sinter_test::fake_cuda
