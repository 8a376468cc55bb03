// SPDX-License-Identifier: MIT
#include "support/fake_cuda/fake_cuda.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "support/fake_cuda/visible_memory.hpp"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace sinter_test::fake_cuda {
namespace {

constexpr std::size_t default_shared_memory = 48 * 1024, reserved_shared_memory = 1024;
constexpr unsigned most_threads_per_block = 1024, most_threads_per_multiprocessor = 2048, warp = 32;

/// Device memory between two guards, whose bytes must not change.
class Allocation {
 public:
  Allocation(std::size_t size, int device)
      : size_(size),
        device_(device),
        whole_(static_cast<std::byte*>(std::aligned_alloc(alignment, guard + padded() + guard))) {
    if (whole_ == nullptr) return;
    std::memset(whole_.get(), guard_byte, guard + padded() + guard);
    std::memset(data(), 0xff, size_);
    ASAN_POISON_MEMORY_REGION(whole_.get(), guard);
    ASAN_POISON_MEMORY_REGION(data() + size_, padded() - size_ + guard);
  }
  Allocation(Allocation&&) = default;
  ~Allocation() {
    if (whole_ != nullptr) ASAN_UNPOISON_MEMORY_REGION(whole_.get(), guard + padded() + guard);
  }

  bool there() const { return whole_ != nullptr; }
  std::byte* data() const { return whole_.get() + guard; }
  std::size_t size() const { return size_; }
  int device() const { return device_; }

  void hide() const { ASAN_POISON_MEMORY_REGION(data(), size_); }
  void show() const { ASAN_UNPOISON_MEMORY_REGION(data(), size_); }

  __attribute__((no_sanitize("address"))) bool overrun() const {
    for (const std::byte* p = whole_.get(); p != data(); ++p)
      if (*p != std::byte{guard_byte}) return true;
    for (const std::byte* p = data() + size_; p != data() + padded() + guard; ++p)
      if (*p != std::byte{guard_byte}) return true;
    return false;
  }

 private:
  static constexpr std::size_t alignment = 256, guard = 256;
  static constexpr unsigned char guard_byte = 0xa5;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };

  std::size_t padded() const { return (size_ + alignment - 1) / alignment * alignment; }

  std::size_t size_;
  int device_;
  std::unique_ptr<std::byte, Free> whole_;
};

struct KernelNode {
  struct alignas(64) Chunk {
    std::byte bytes[64];
  };
  const void* function;
  unsigned blocks, threads;
  std::size_t shared_memory;
  std::vector<Chunk> argument;
  std::size_t argument_size = 0;

  void keep(const void* bytes, std::size_t size) {
    argument_size = size;
    argument.resize((size + sizeof(Chunk) - 1) / sizeof(Chunk));
    if (size > 0) std::memcpy(argument.data(), bytes, size);
  }
};
struct CopyNode {
  void* to;
  const void* from;
  std::size_t size;
  cudaMemcpyKind kind;
};
struct SetNode {
  void* to;
  int value;
  std::size_t size;
};
using Node = std::variant<KernelNode, CopyNode, SetNode>;

struct Graph {
  std::vector<Node> nodes;
};
struct ExecutableGraph {
  std::vector<Node> nodes;
};
struct Capture {
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool valid = true;
  std::vector<Node> nodes;
};
struct Stream {
  int device;
  bool waits_for_default_stream;
  std::unique_ptr<Capture> capture;
  bool of_before = false;  // the last reset()
};
struct Event {
  int device;
  bool timed;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
};

/// Objects that the caller knows by an opaque pointer.
template <class Object, class Handle>
class Handles {
 public:
  Handle add(Object object) {
    objects_.push_back(std::make_unique<Object>(std::move(object)));
    return reinterpret_cast<Handle>(objects_.back().get());
  }
  Object* find(Handle handle) const {
    for (const auto& object : objects_)
      if (object.get() == reinterpret_cast<Object*>(handle)) return object.get();
    return nullptr;
  }
  cudaError_t remove(Handle handle) {
    const Object* object = find(handle);
    if (object == nullptr) return cudaErrorInvalidResourceHandle;
    std::erase_if(objects_, [&](const auto& other) { return other.get() == object; });
    return cudaSuccess;
  }
  const auto& all() const { return objects_; }

 private:
  std::vector<std::unique_ptr<Object>> objects_;
};

struct Injection {
  cudaError_t code;
  int after_calls;
};

/// What reset() puts back, but for the streams that there are and what kernels have opted in to: those are the process's.
struct World {
  std::vector<Device> devices{Device{}};
  int driver_version = CUDART_VERSION;
  int kernel_ptx_version = 0, kernel_binary_version = 0;  // 0: of the device
  cudaError_t lost = cudaSuccess;
  std::multimap<std::string, Injection> injections;
  std::map<std::string, long> calls;
  Counters counters;

  std::map<std::uintptr_t, Allocation> memory;
  struct HostMemory {
    std::unique_ptr<std::byte[]> data;
    std::size_t size;
  };
  std::map<void*, HostMemory> host_memory;
  Handles<Stream, cudaStream_t> streams;
  Handles<Event, cudaEvent_t> events;
  Handles<Graph, cudaGraph_t> graphs;
  Handles<ExecutableGraph, cudaGraphExec_t> executable_graphs;
  std::map<std::pair<const void*, int>, std::size_t> shared_memory;  // that (kernel, device) has opted in to
};

struct Runtime {
  std::mutex mutex;
  World world;
  long resets = 0;
  int readers = 0;                                    // kernels and copies under way: device memory is not hidden
  std::map<const void*, CompiledKernel> device_only;  // kernels compiled by nvcc: they run by `compiled_code` alone
  CompiledCode* compiled_code = nullptr;
};

Runtime& runtime() {
  static Runtime* const only = new Runtime;  // outlives every static object that frees device memory
  return *only;
}

struct LaunchConfiguration {
  dim3 blocks, threads;
  std::size_t shared_memory;
  cudaStream_t stream;
};
struct PerThread {
  long resets = 0;
  int device = 0;
  cudaError_t last = cudaSuccess;
  std::vector<LaunchConfiguration> configurations;
};
PerThread& this_thread() {
  thread_local PerThread mine;
  if (mine.resets != runtime().resets) {
    mine = {};
    mine.resets = runtime().resets;
  }
  return mine;
}

using Lock = std::unique_lock<std::mutex>;

bool loses_context(cudaError_t code) {
  return code == cudaErrorECCUncorrectable || code == cudaErrorNvlinkUncorrectable || code == cudaErrorIllegalAddress ||
         code == cudaErrorLaunchTimeout || code == cudaErrorAssert || code == cudaErrorHardwareStackError ||
         code == cudaErrorIllegalInstruction || code == cudaErrorMisalignedAddress ||
         code == cudaErrorInvalidAddressSpace || code == cudaErrorInvalidPc || code == cudaErrorLaunchFailure;
}

cudaError_t injected(World& world, const std::string& function) {
  const auto [first, last] = world.injections.equal_range(function);
  for (auto it = first; it != last; ++it) {
    if (it->second.after_calls-- > 0) continue;
    const cudaError_t code = it->second.code;
    world.injections.erase(it);
    if (loses_context(code)) world.lost = code;
    return code;
  }
  return cudaSuccess;
}

/// Whether the driver can be used at all. Minor versions of one major version work together.
cudaError_t driver_state(const World& world) {
  if (world.driver_version / 1000 < CUDART_VERSION / 1000) return cudaErrorInsufficientDriver;
  return world.devices.empty() ? cudaErrorNoDevice : cudaSuccess;
}

/// A function of the runtime: body(world, lock), unless something is wrong before it.
template <class Body>
cudaError_t call(const char* function, Body body) {
  Lock lock(runtime().mutex);
  World& world = runtime().world;
  ++world.calls[function];
  cudaError_t code = world.lost;
  if (code == cudaSuccess) code = injected(world, function);
  if (code == cudaSuccess) code = driver_state(world);
  if (code == cudaSuccess) code = body(world, lock);
  if (code != cudaSuccess) this_thread().last = code;
  return code;
}
/// A function that works without a driver and after any error.
template <class Body>
cudaError_t call_always(const char* function, Body body) {
  const Lock lock(runtime().mutex);
  World& world = runtime().world;
  ++world.calls[function];
  const cudaError_t code = injected(world, function);
  return code == cudaSuccess ? body(world) : code;
}

/// Shows device memory to the code that runs while it lives. The mutex is held when it begins and ends.
class Reading {
 public:
  Reading() { begin(); }
  Reading(const Reading&) = delete;
  ~Reading() { end(); }

  static void begin() {
    if (runtime().readers++ == 0)
      for (const auto& entry : runtime().world.memory) entry.second.show();
  }
  static void end() {
    if (--runtime().readers == 0)
      for (const auto& entry : runtime().world.memory) entry.second.hide();
  }
};

/// The allocation that contains an address.
const Allocation* allocation_of(const World& world, const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  auto it = world.memory.upper_bound(address);
  if (it == world.memory.begin()) return nullptr;
  --it;
  return address - it->first < it->second.size() ? &it->second : nullptr;
}
bool lies_on_device(const World& world, const void* p, std::size_t size) {
  const Allocation* allocation = allocation_of(world, p);
  if (allocation == nullptr) return false;
  const auto from_start = static_cast<std::size_t>(static_cast<const std::byte*>(p) - allocation->data());
  return size <= allocation->size() - from_start;
}
bool lies_on_host(const World& world, const void* p) { return p != nullptr && allocation_of(world, p) == nullptr; }

cudaError_t check(const World& world, const CopyNode& copy) {
  if (copy.size == 0) return cudaSuccess;
  const bool to_device = lies_on_device(world, copy.to, copy.size), to_host = lies_on_host(world, copy.to);
  const bool from_device = lies_on_device(world, copy.from, copy.size), from_host = lies_on_host(world, copy.from);
  bool good = false;
  switch (copy.kind) {
    case cudaMemcpyHostToHost:
      good = to_host && from_host;
      break;
    case cudaMemcpyHostToDevice:
      good = to_device && from_host;
      break;
    case cudaMemcpyDeviceToHost:
      good = to_host && from_device;
      break;
    case cudaMemcpyDeviceToDevice:
      good = to_device && from_device;
      break;
    case cudaMemcpyDefault:
      good = (to_device || to_host) && (from_device || from_host);
      break;
  }
  return good ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t check(const World& world, const SetNode& set) {
  return set.size == 0 || lies_on_device(world, set.to, set.size) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t check(const World&, const KernelNode&) { return cudaSuccess; }

const Device& current_device(const World& world) {
  return world.devices[static_cast<std::size_t>(this_thread().device)];
}
int capability(const World& world) {
  const Device& device = current_device(world);
  return 10 * device.major + device.minor;
}
/// What the kernels were compiled for.
int compiled_for(const World& world) {
  return world.kernel_ptx_version != 0 ? world.kernel_ptx_version : capability(world);
}

/// CUDA lets a stream of one device write to memory of another, but nothing then waits for it where it should.
bool belongs_to(const World& world, const CopyNode& copy, int device) {
  const Allocation *to = allocation_of(world, copy.to), *from = allocation_of(world, copy.from);
  if (to == nullptr && from == nullptr) return true;
  return (to != nullptr && to->device() == device) || (from != nullptr && from->device() == device);
}
bool belongs_to(const World& world, const SetNode& set, int device) {
  return set.size == 0 || allocation_of(world, set.to)->device() == device;
}
bool belongs_to(const World&, const KernelNode&, int device) { return this_thread().device == device; }

cudaError_t run(World& world, Lock&, const CopyNode& copy) {
  ++world.counters.copies;
  if (copy.size == 0) return cudaSuccess;
  const bool to_device = lies_on_device(world, copy.to, copy.size);
  const bool from_device = lies_on_device(world, copy.from, copy.size);
  if (to_device && !from_device) world.counters.bytes_to_device += copy.size;
  if (from_device && !to_device) world.counters.bytes_to_host += copy.size;
  const Reading reading;
  std::memmove(copy.to, copy.from, copy.size);
  return cudaSuccess;
}
cudaError_t run(World& world, Lock&, const SetNode& set) {
  ++world.counters.memsets;
  if (set.size == 0) return cudaSuccess;
  const Reading reading;
  std::memset(set.to, set.value, set.size);
  return cudaSuccess;
}
struct Unlocked {
  Lock& lock;
  explicit Unlocked(Lock& held) : lock(held) { lock.unlock(); }
  ~Unlocked() { lock.lock(); }
};

cudaError_t run_compiled(World& world, Lock& lock, const KernelNode& node, const CompiledKernel& kernel) {
  CompiledCode* const code = runtime().compiled_code;
  if (code == nullptr) return cudaSuccess;
  std::vector<Bytes> memory;
  for (const auto& entry : world.memory) memory.push_back({entry.second.data(), entry.second.size()});
  for (const auto& entry : world.host_memory) memory.push_back({entry.second.data.get(), entry.second.size});
  const auto* arguments = reinterpret_cast<const std::byte*>(node.argument.data());
  bool good = false;
  {
    const Reading reading;
    const Unlocked unlocked(lock);
    good = code->run(
        kernel, {node.blocks, node.threads, node.shared_memory, {arguments, node.argument_size}, std::move(memory)});
  }
  if (!good) world.lost = cudaErrorLaunchFailure;
  return world.lost;
}

cudaError_t run(World& world, Lock& lock, const KernelNode& node) {
  const auto compiled = runtime().device_only.find(node.function);
  if (compiled != runtime().device_only.end()) return run_compiled(world, lock, node, compiled->second);
  const auto* kernel = static_cast<const HostKernel*>(node.function);
  if (kernel->runs_on != nullptr && !kernel->runs_on(compiled_for(world))) {
    world.lost = cudaErrorLaunchFailure;
    return cudaErrorLaunchFailure;
  }
  const Reading reading;
  const Unlocked unlocked(lock);
  kernel->run(node.argument.data(), node.blocks, node.threads, node.shared_memory);
  return cudaSuccess;
}

/// Ends the captures that forbid what this thread wants to do: whether there was one. A relaxed capture forbids only
/// to wait for itself.
bool break_captures(const World& world, bool relaxed_too = false) {
  bool any = false;
  for (const auto& stream : world.streams.all()) {
    Capture* capture = stream->capture.get();
    if (capture == nullptr) continue;
    if (relaxed_too || capture->mode == cudaStreamCaptureModeGlobal ||
        (capture->mode == cudaStreamCaptureModeThreadLocal && capture->thread == std::this_thread::get_id())) {
      capture->valid = false;
      any = true;
    }
  }
  return any;
}

/// The default stream waits for streams that were not created apart from it: their captures cannot allow that.
bool default_stream_breaks_captures(const World& world) {
  bool any = false;
  for (const auto& stream : world.streams.all())
    if (stream->capture != nullptr && stream->waits_for_default_stream) {
      stream->capture->valid = false;
      any = true;
    }
  return any;
}

bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

/// Does the work of a stream now, or records it.
template <class Work>
cudaError_t submit(World& world, Lock& lock, cudaStream_t handle, Work work) {
  if (const cudaError_t code = check(world, work); code != cudaSuccess) return code;
  Stream* stream = nullptr;
  if (!is_default(handle)) {
    stream = world.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  }
  if (!belongs_to(world, work, stream == nullptr ? this_thread().device : stream->device))
    return cudaErrorInvalidResourceHandle;
  if (stream == nullptr && default_stream_breaks_captures(world)) return cudaErrorStreamCaptureImplicit;
  if (stream != nullptr && stream->capture != nullptr) {
    if (!stream->capture->valid) return cudaErrorStreamCaptureInvalidated;
    stream->capture->nodes.push_back(std::move(work));
    return cudaSuccess;
  }
  if constexpr (std::is_same_v<Work, KernelNode>) ++world.counters.launches;
  return run(world, lock, work);
}

std::size_t shared_memory_of(const World& world, const void* function) {
  const auto it = world.shared_memory.find({function, this_thread().device});
  return it == world.shared_memory.end() ? default_shared_memory : it->second;
}
bool is_device(const World& world, int device) {
  return device >= 0 && static_cast<std::size_t>(device) < world.devices.size();
}

cudaError_t launch(World& world, Lock& lock, const void* function, dim3 blocks, dim3 threads, void** arguments,
                   std::size_t shared_memory, cudaStream_t stream) {
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  const auto most_blocks = static_cast<unsigned>(std::numeric_limits<int>::max());
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0 || blocks.x > most_blocks || blocks.y > 65535 || blocks.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (threads.x == 0 || threads.y == 0 || threads.z == 0 || threads.x > most_threads_per_block || threads.y > 1024 ||
      threads.z > 64 || threads.x * threads.y * threads.z > most_threads_per_block)
    return cudaErrorInvalidConfiguration;
  if (shared_memory > shared_memory_of(world, function)) return cudaErrorInvalidValue;

  KernelNode node{function, blocks.x, threads.x, shared_memory, {}};
  const auto compiled = runtime().device_only.find(function);
  const bool runs = compiled == runtime().device_only.end() || runtime().compiled_code != nullptr;
  if (runs && (blocks.y != 1 || blocks.z != 1 || threads.y != 1 || threads.z != 1)) return cudaErrorNotSupported;
  if (compiled == runtime().device_only.end()) {
    const std::size_t size = static_cast<const HostKernel*>(function)->argument_size;
    if (size > 32764) return cudaErrorInvalidValue;
    node.keep(size > 0 ? arguments[0] : nullptr, size);
  } else if (runs) {
    const std::vector<std::byte> packed = runtime().compiled_code->arguments_of(compiled->second, arguments);
    node.keep(packed.data(), packed.size());
  }
  return submit(world, lock, stream, std::move(node));
}

/// A stream is waited for: nullptr for all of them.
cudaError_t synchronise(World& world, const Stream* stream) {
  if (stream != nullptr && stream->capture != nullptr) {
    stream->capture->valid = false;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (break_captures(world, stream == nullptr)) return cudaErrorStreamCaptureUnsupported;
  ++world.counters.synchronisations;
  return cudaSuccess;
}

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};
#define SINTER_NAMED(code) code, #code
constexpr ErrorText error_texts[] = {
    {SINTER_NAMED(cudaSuccess), "no error"},
    {SINTER_NAMED(cudaErrorInvalidValue), "invalid argument"},
    {SINTER_NAMED(cudaErrorMemoryAllocation), "out of memory"},
    {SINTER_NAMED(cudaErrorInitializationError), "initialization error"},
    {SINTER_NAMED(cudaErrorCudartUnloading), "driver shutting down"},
    {SINTER_NAMED(cudaErrorInvalidConfiguration), "invalid configuration argument"},
    {SINTER_NAMED(cudaErrorInsufficientDriver), "CUDA driver version is insufficient for CUDA runtime version"},
    {SINTER_NAMED(cudaErrorMissingConfiguration), "__global__ function call is not configured"},
    {SINTER_NAMED(cudaErrorInvalidDeviceFunction), "invalid device function"},
    {SINTER_NAMED(cudaErrorNoDevice), "no CUDA-capable device is detected"},
    {SINTER_NAMED(cudaErrorInvalidDevice), "invalid device ordinal"},
    {SINTER_NAMED(cudaErrorNoKernelImageForDevice), "no kernel image is available for execution on the device"},
    {SINTER_NAMED(cudaErrorECCUncorrectable), "uncorrectable ECC error encountered"},
    {SINTER_NAMED(cudaErrorNvlinkUncorrectable), "uncorrectable NVLink error detected during the execution"},
    {SINTER_NAMED(cudaErrorUnsupportedPtxVersion), "the provided PTX was compiled with an unsupported toolchain."},
    {SINTER_NAMED(cudaErrorInvalidResourceHandle), "invalid resource handle"},
    {SINTER_NAMED(cudaErrorNotReady), "device not ready"},
    {SINTER_NAMED(cudaErrorIllegalAddress), "an illegal memory access was encountered"},
    {SINTER_NAMED(cudaErrorLaunchOutOfResources), "too many resources requested for launch"},
    {SINTER_NAMED(cudaErrorLaunchTimeout), "the launch timed out and was terminated"},
    {SINTER_NAMED(cudaErrorAssert), "device-side assert triggered"},
    {SINTER_NAMED(cudaErrorHardwareStackError), "hardware stack error"},
    {SINTER_NAMED(cudaErrorIllegalInstruction), "an illegal instruction was encountered"},
    {SINTER_NAMED(cudaErrorMisalignedAddress), "misaligned address"},
    {SINTER_NAMED(cudaErrorInvalidAddressSpace), "operation not supported on global/shared address space"},
    {SINTER_NAMED(cudaErrorInvalidPc), "invalid program counter"},
    {SINTER_NAMED(cudaErrorLaunchFailure), "unspecified launch failure"},
    {SINTER_NAMED(cudaErrorCooperativeLaunchTooLarge), "too many blocks in cooperative launch"},
    {SINTER_NAMED(cudaErrorNotSupported), "operation not supported"},
    {SINTER_NAMED(cudaErrorSystemNotReady), "system not yet initialized"},
    {SINTER_NAMED(cudaErrorStreamCaptureUnsupported), "operation not permitted when stream is capturing"},
    {SINTER_NAMED(cudaErrorStreamCaptureInvalidated), "operation failed due to a previous error during capture"},
    {SINTER_NAMED(cudaErrorStreamCaptureImplicit),
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {SINTER_NAMED(cudaErrorStreamCaptureWrongThread),
     "attempt to terminate a thread-local capture sequence from another thread"},
    {SINTER_NAMED(cudaErrorUnknown), "unknown error"},
};
#undef SINTER_NAMED

cudaError_t allocate(World& world, void** to, std::size_t size) {
  if (to == nullptr) return cudaErrorInvalidValue;
  if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
  *to = nullptr;
  if (size == 0) return cudaSuccess;
  const int device = this_thread().device;
  std::size_t used = 0;
  for (const auto& entry : world.memory)
    if (entry.second.device() == device) used += entry.second.size();
  const std::size_t total = current_device(world).memory_bytes;
  if (used > total || size > total - used) return cudaErrorMemoryAllocation;
  Allocation allocation(size, device);
  if (!allocation.there()) return cudaErrorMemoryAllocation;
  if (runtime().readers == 0) allocation.hide();
  *to = allocation.data();
  world.memory.emplace(reinterpret_cast<std::uintptr_t>(*to), std::move(allocation));
  ++world.counters.mallocs;
  return cudaSuccess;
}

cudaError_t allocate_on_host(World& world, void** to, std::size_t size) {
  if (to == nullptr) return cudaErrorInvalidValue;
  if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
  auto memory = std::make_unique<std::byte[]>(size);
  std::memset(memory.get(), 0xff, size);
  *to = memory.get();
  world.host_memory.emplace(*to, World::HostMemory{std::move(memory), size});
  ++world.counters.host_mallocs;
  return cudaSuccess;
}

cudaError_t occupancy(World& world, int* blocks, const void* function, int threads, std::size_t shared_memory) {
  if (blocks == nullptr || function == nullptr || threads <= 0) return cudaErrorInvalidValue;
  *blocks = 0;
  const std::size_t limit = current_device(world).shared_memory_per_block;
  const unsigned whole_warps = (static_cast<unsigned>(threads) + warp - 1) / warp * warp;
  if (whole_warps > most_threads_per_block || shared_memory > limit) return cudaSuccess;
  const std::size_t by_memory = (limit + reserved_shared_memory) / (shared_memory + reserved_shared_memory);
  *blocks = std::min({32, static_cast<int>(most_threads_per_multiprocessor / whole_warps),
                      static_cast<int>(std::min<std::size_t>(by_memory, 32))});
  return cudaSuccess;
}

}  // namespace

void reset() {
  const Lock lock(runtime().mutex);
  World world;
  world.streams = std::move(runtime().world.streams);
  for (const auto& stream : world.streams.all()) {
    stream->capture = nullptr;
    stream->of_before = true;
  }
  world.shared_memory = std::move(runtime().world.shared_memory);
  runtime().world = std::move(world);
  ++runtime().resets;
}

Counters counters() {
  const Lock lock(runtime().mutex);
  const World& world = runtime().world;
  Counters counters = world.counters;
  for (const auto& entry : world.memory) {
    counters.live_bytes += entry.second.size();
    counters.overruns += entry.second.overrun();
  }
  counters.live_allocations = static_cast<long>(world.memory.size());
  counters.live_host_allocations = static_cast<long>(world.host_memory.size());
  const auto& streams = world.streams.all();
  counters.live_streams = std::count_if(streams.begin(), streams.end(), [](const auto& s) { return !s->of_before; });
  counters.live_events = static_cast<long>(world.events.all().size());
  counters.live_graphs = static_cast<long>(world.graphs.all().size() + world.executable_graphs.all().size());
  return counters;
}

long calls(const std::string& function) {
  const Lock lock(runtime().mutex);
  const auto it = runtime().world.calls.find(function);
  return it == runtime().world.calls.end() ? 0 : it->second;
}

void set_devices(std::vector<Device> devices) {
  const Lock lock(runtime().mutex);
  runtime().world.devices = std::move(devices);
}
void set_driver_version(int version) {
  const Lock lock(runtime().mutex);
  runtime().world.driver_version = version;
}
void set_kernel_versions(int ptx, int binary) {
  const Lock lock(runtime().mutex);
  runtime().world.kernel_ptx_version = ptx;
  runtime().world.kernel_binary_version = binary;
}
void fail_next(const std::string& function, cudaError_t code, int after_calls) {
  const Lock lock(runtime().mutex);
  runtime().world.injections.emplace(function, Injection{code, after_calls});
}
void run_compiled_code(CompiledCode* code) {
  const Lock lock(runtime().mutex);
  runtime().compiled_code = code;
}
VisibleMemory::VisibleMemory() {
  const Lock lock(runtime().mutex);
  Reading::begin();
}
VisibleMemory::~VisibleMemory() {
  const Lock lock(runtime().mutex);
  Reading::end();
}
void break_context(cudaError_t code) {
  const Lock lock(runtime().mutex);
  runtime().world.lost = code;
}

}  // namespace sinter_test::fake_cuda

using namespace sinter_test::fake_cuda;

extern "C" {

// Errors

const char* cudaGetErrorName(cudaError_t error) {
  for (const ErrorText& text : error_texts)
    if (text.code == error) return text.name;
  return "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  for (const ErrorText& text : error_texts)
    if (text.code == error) return text.text;
  return "unrecognized error code";
}
cudaError_t cudaPeekAtLastError() {
  const Lock lock(runtime().mutex);
  const cudaError_t lost = runtime().world.lost;
  return lost != cudaSuccess ? lost : this_thread().last;
}
cudaError_t cudaGetLastError() {
  const Lock lock(runtime().mutex);
  const cudaError_t lost = runtime().world.lost, last = std::exchange(this_thread().last, cudaSuccess);
  return lost != cudaSuccess ? lost : last;
}

// Devices

cudaError_t cudaDriverGetVersion(int* version) {
  return call_always(__func__, [&](World& world) {
    *version = world.driver_version;
    return cudaSuccess;
  });
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return call_always(__func__, [&](World&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceCount(int* count) {
  return call(__func__, [&](World& world, Lock&) {
    *count = static_cast<int>(world.devices.size());
    return cudaSuccess;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return call(__func__, [&](World&, Lock&) {
    *device = this_thread().device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return call(__func__, [&](World& world, Lock&) {
    if (!is_device(world, device)) return cudaErrorInvalidDevice;
    this_thread().device = device;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  return call(__func__, [&](World& world, Lock&) {
    if (!is_device(world, index)) return cudaErrorInvalidDevice;
    const Device& device = world.devices[static_cast<std::size_t>(index)];
    *properties = {};
    device.name.copy(properties->name, sizeof properties->name - 1);
    properties->major = device.major;
    properties->minor = device.minor;
    properties->totalGlobalMem = device.memory_bytes;
    properties->multiProcessorCount = device.multiprocessors;
    properties->sharedMemPerBlock = default_shared_memory;
    properties->sharedMemPerBlockOptin = device.shared_memory_per_block;
    properties->sharedMemPerMultiprocessor = device.shared_memory_per_block + reserved_shared_memory;
    properties->reservedSharedMemPerBlock = reserved_shared_memory;
    properties->warpSize = warp;
    properties->maxThreadsPerBlock = most_threads_per_block;
    properties->maxThreadsPerMultiProcessor = most_threads_per_multiprocessor;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->unifiedAddressing = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return call(__func__, [&](World& world, Lock&) {
    if (!is_device(world, index)) return cudaErrorInvalidDevice;
    const Device& device = world.devices[static_cast<std::size_t>(index)];
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        *value = device.major;
        return cudaSuccess;
      case cudaDevAttrComputeCapabilityMinor:
        *value = device.minor;
        return cudaSuccess;
      case cudaDevAttrMultiProcessorCount:
        *value = device.multiprocessors;
        return cudaSuccess;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = static_cast<int>(default_shared_memory);
        return cudaSuccess;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(device.shared_memory_per_block);
        return cudaSuccess;
      case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(device.shared_memory_per_block + reserved_shared_memory);
        return cudaSuccess;
      case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = static_cast<int>(reserved_shared_memory);
        return cudaSuccess;
      case cudaDevAttrMaxThreadsPerBlock:
        *value = static_cast<int>(most_threads_per_block);
        return cudaSuccess;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = static_cast<int>(most_threads_per_multiprocessor);
        return cudaSuccess;
      case cudaDevAttrMaxBlocksPerMultiprocessor:
      case cudaDevAttrWarpSize:
        *value = 32;
        return cudaSuccess;
      default:
        return cudaErrorNotSupported;
    }
  });
}
cudaError_t cudaDeviceSynchronize() {
  return call(__func__, [&](World& world, Lock&) { return synchronise(world, nullptr); });
}

// Memory

cudaError_t cudaMalloc(void** to, std::size_t size) {
  return call(__func__, [&](World& world, Lock&) { return allocate(world, to, size); });
}
cudaError_t cudaFree(void* memory) {
  return call(__func__, [&](World& world, Lock&) {
    if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
    if (memory == nullptr) return cudaSuccess;
    const auto it = world.memory.find(reinterpret_cast<std::uintptr_t>(memory));
    if (it == world.memory.end() || it->second.device() != this_thread().device) {
      ++world.counters.bad_frees;
      return cudaErrorInvalidValue;
    }
    world.counters.overruns += it->second.overrun();
    world.memory.erase(it);
    ++world.counters.frees;
    return cudaSuccess;
  });
}
cudaError_t cudaMallocHost(void** to, std::size_t size) {
  return call(__func__, [&](World& world, Lock&) { return allocate_on_host(world, to, size); });
}
cudaError_t cudaHostAlloc(void** to, std::size_t size, unsigned) {
  return call(__func__, [&](World& world, Lock&) { return allocate_on_host(world, to, size); });
}
cudaError_t cudaFreeHost(void* memory) {
  return call(__func__, [&](World& world, Lock&) {
    if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
    if (memory == nullptr) return cudaSuccess;
    if (world.host_memory.erase(memory) == 0) {
      ++world.counters.bad_frees;
      return cudaErrorInvalidValue;
    }
    ++world.counters.host_frees;
    return cudaSuccess;
  });
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call(__func__, [&](World& world, Lock&) {
    *total = *free = current_device(world).memory_bytes;
    for (const auto& entry : world.memory)
      if (entry.second.device() == this_thread().device) *free -= std::min(*free, entry.second.size());
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, cudaMemcpyKind kind) {
  return call(__func__, [&](World& world, Lock& lock) {
    if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
    const cudaError_t code = submit(world, lock, nullptr, CopyNode{to, from, size, kind});
    if (code == cudaSuccess) ++world.counters.synchronisations;
    return code;
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(__func__,
              [&](World& world, Lock& lock) { return submit(world, lock, stream, CopyNode{to, from, size, kind}); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(__func__, [&](World& world, Lock& lock) {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidValue;
    for (std::size_t row = 0; row < rows; ++row) {
      const CopyNode copy{static_cast<std::byte*>(to) + row * to_pitch,
                          static_cast<const std::byte*>(from) + row * from_pitch, width, kind};
      if (const cudaError_t code = submit(world, lock, stream, copy); code != cudaSuccess) return code;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemset(void* to, int value, std::size_t size) {
  return call(__func__, [&](World& world, Lock& lock) {
    if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
    return submit(world, lock, nullptr, SetNode{to, value, size});
  });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size, cudaStream_t stream) {
  return call(__func__,
              [&](World& world, Lock& lock) { return submit(world, lock, stream, SetNode{to, value, size}); });
}

// Streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call(__func__, [&](World& world, Lock&) {
    *stream = world.streams.add({this_thread().device, (flags & cudaStreamNonBlocking) == 0, nullptr});
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(__func__, [&](World& world, Lock&) { return world.streams.remove(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call(__func__, [&](World& world, Lock&) {
    if (is_default(handle)) {
      if (default_stream_breaks_captures(world) || break_captures(world)) return cudaErrorStreamCaptureUnsupported;
      ++world.counters.synchronisations;
      return cudaSuccess;
    }
    const Stream* stream = world.streams.find(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : synchronise(world, stream);
  });
}
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call(__func__, [&](World& world, Lock&) {
    if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
    return is_default(handle) || world.streams.find(handle) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call(__func__, [&](World& world, Lock&) {
    *event = world.events.add({this_thread().device, (flags & cudaEventDisableTiming) == 0, false, {}});
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  return call(__func__, [&](World& world, Lock&) {
    Event* event = world.events.find(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    int device = this_thread().device;
    if (!is_default(stream_handle)) {
      const Stream* stream = world.streams.find(stream_handle);
      if (stream == nullptr) return cudaErrorInvalidResourceHandle;
      device = stream->device;
      if (stream->capture != nullptr) return cudaSuccess;
    }
    if (event->device != device) return cudaErrorInvalidResourceHandle;
    event->recorded = true;
    event->time = std::chrono::steady_clock::now();
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call(__func__, [&](World& world, Lock&) {
    if (world.events.find(handle) == nullptr) return cudaErrorInvalidResourceHandle;
    if (break_captures(world)) return cudaErrorStreamCaptureUnsupported;
    ++world.counters.synchronisations;
    return cudaSuccess;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(__func__, [&](World& world, Lock&) {
    const Event *first = world.events.find(start), *last = world.events.find(end);
    if (first == nullptr || last == nullptr || !first->timed || !last->timed || !first->recorded || !last->recorded)
      return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(last->time - first->time).count();
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(__func__, [&](World& world, Lock&) { return world.events.remove(event); });
}

// Kernels

cudaError_t cudaLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t shared_memory, cudaStream_t stream) {
  return call(__func__, [&](World& world, Lock& lock) {
    return launch(world, lock, function, blocks, threads, arguments, shared_memory, stream);
  });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function, void** arguments) {
  return call(__func__, [&](World& world, Lock& lock) {
    for (unsigned i = 0; i < configuration->numAttrs; ++i)
      if (configuration->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization) {
        if (compiled_for(world) < 90) return cudaErrorNotSupported;  // its code does not wait
        ++world.counters.overlapping_launches;
      }
    return launch(world, lock, function, configuration->gridDim, configuration->blockDim, arguments,
                  configuration->dynamicSmemBytes, configuration->stream);
  });
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call(__func__, [&](World& world, Lock&) {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > current_device(world).shared_memory_per_block)
      return cudaErrorInvalidValue;
    world.shared_memory[{function, this_thread().device}] = static_cast<std::size_t>(value);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call(__func__, [&](World& world, Lock&) {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    *attributes = {};
    attributes->ptxVersion = compiled_for(world);
    attributes->binaryVersion = world.kernel_binary_version != 0 ? world.kernel_binary_version : capability(world);
    attributes->maxThreadsPerBlock = static_cast<int>(most_threads_per_block);
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(shared_memory_of(world, function));
    attributes->numRegs = 32;
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared_memory) {
  return call(__func__,
              [&](World& world, Lock&) { return occupancy(world, blocks, function, threads, shared_memory); });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t shared_memory, unsigned) {
  return call(__func__,
              [&](World& world, Lock&) { return occupancy(world, blocks, function, threads, shared_memory); });
}

// Graphs

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call(__func__, [&](World& world, Lock&) {
    if (is_default(handle)) return cudaErrorStreamCaptureUnsupported;
    Stream* stream = world.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture != nullptr) return cudaErrorIllegalState;
    stream->capture = std::make_unique<Capture>(Capture{mode, std::this_thread::get_id(), true, {}});
    return cudaSuccess;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call(__func__, [&](World& world, Lock&) {
    *status = cudaStreamCaptureStatusNone;
    if (is_default(handle)) return cudaSuccess;
    const Stream* stream = world.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture != nullptr)
      *status = stream->capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call(__func__, [&](World& world, Lock&) {
    *graph = nullptr;
    Stream* stream = is_default(handle) ? nullptr : world.streams.find(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture == nullptr) return cudaErrorIllegalState;
    if (stream->capture->mode != cudaStreamCaptureModeRelaxed && stream->capture->thread != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    const std::unique_ptr<Capture> capture = std::move(stream->capture);
    if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
    *graph = world.graphs.add({std::move(capture->nodes)});
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t handle, unsigned long long) {
  return call(__func__, [&](World& world, Lock&) {
    const Graph* graph = world.graphs.find(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    *executable = world.executable_graphs.add({graph->nodes});
    return cudaSuccess;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return call(__func__, [&](World& world, Lock& lock) {
    const ExecutableGraph* graph = world.executable_graphs.find(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (is_default(stream_handle)) {
      if (default_stream_breaks_captures(world)) return cudaErrorStreamCaptureImplicit;
    } else {
      const Stream* stream = world.streams.find(stream_handle);
      if (stream == nullptr) return cudaErrorInvalidResourceHandle;
      if (stream->capture != nullptr) return cudaErrorNotSupported;
    }
    ++world.counters.graph_launches;
    for (const Node& node : graph->nodes) {
      const cudaError_t code = std::visit(
          [&](const auto& work) {
            const cudaError_t checked = check(world, work);
            return checked == cudaSuccess ? run(world, lock, work) : checked;
          },
          node);
      if (code != cudaSuccess) return code;
      world.counters.graph_kernels += std::holds_alternative<KernelNode>(node);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(__func__, [&](World& world, Lock&) { return world.graphs.remove(graph); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  return call(__func__, [&](World& world, Lock&) { return world.executable_graphs.remove(graph); });
}

// What objects compiled by nvcc call. NOLINTBEGIN(bugprone-reserved-identifier)

// The handle of a fat binary: where its address is kept.
void** __cudaRegisterFatBinary(void* binary) {
  static std::deque<void*> binaries;
  const Lock lock(runtime().mutex);
  return &binaries.emplace_back(binary);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterFunction(void** binary, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  const Lock lock(runtime().mutex);
  runtime().device_only.insert({function, {*binary, name}});
}
unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t shared_memory, CUstream_st* stream) {
  const Lock lock(runtime().mutex);
  this_thread().configurations.push_back({blocks, threads, shared_memory, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* blocks, dim3* threads, std::size_t* shared_memory, void* stream) {
  const Lock lock(runtime().mutex);
  auto& configurations = this_thread().configurations;
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  *blocks = configurations.back().blocks;
  *threads = configurations.back().threads;
  *shared_memory = configurations.back().shared_memory;
  *static_cast<cudaStream_t*>(stream) = configurations.back().stream;
  configurations.pop_back();
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments,
                               std::size_t shared_memory, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, blocks, threads, arguments, shared_memory, stream);
}

// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
