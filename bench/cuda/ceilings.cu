// SPDX-License-Identifier: MIT
// The limits of this GPU: bandwidths, the FMA peak, and the cost of launches, barriers and answers to the host.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(cudaError_t code, const char* doing) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(code));
}
void launched(const char* kernel) { check(cudaGetLastError(), kernel); }

/// For functions that must not throw.
void note(cudaError_t code, const char* doing) {
  if (code != cudaSuccess) std::printf("  %s: %s\n", doing, cudaGetErrorString(code));
}

// ---- What is freed at the end of a scope

template <class T>
struct Memory {
  T* data = nullptr;
  explicit Memory(std::size_t count) { check(cudaMalloc(&data, count * sizeof(T)), "allocating memory of the GPU"); }
  ~Memory() { note(cudaFree(data), "freeing memory of the GPU"); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

/// Memory of the host that the GPU also reads and writes.
struct Pinned {
  volatile int* data = nullptr;
  int* on_gpu = nullptr;
  explicit Pinned(std::size_t count) {
    void* at = nullptr;
    check(cudaHostAlloc(&at, count * sizeof(int), cudaHostAllocMapped), "allocating pinned memory");
    data = static_cast<int*>(at);
    std::fill_n(data, count, 0);
    void* mapped = nullptr;
    const cudaError_t code = cudaHostGetDevicePointer(&mapped, at, 0);
    if (code != cudaSuccess) note(cudaFreeHost(at), "freeing pinned memory");
    check(code, "mapping pinned memory");
    on_gpu = static_cast<int*>(mapped);
  }
  ~Pinned() { note(cudaFreeHost(const_cast<int*>(data)), "freeing pinned memory"); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
};

struct Stream {
  cudaStream_t id{};
  Stream() { check(cudaStreamCreateWithFlags(&id, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { note(cudaStreamDestroy(id), "destroying a stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void wait() const { check(cudaStreamSynchronize(id), "waiting for a stream"); }
};

struct Event {
  cudaEvent_t id{};
  Event() { check(cudaEventCreate(&id), "making an event"); }
  ~Event() { note(cudaEventDestroy(id), "destroying an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
};

/// What `work` puts into the stream, recorded to be launched at once.
struct Graph {
  cudaGraphExec_t id{};
  Graph(const Stream& stream, auto work) {
    cudaGraph_t graph{};
    check(cudaStreamBeginCapture(stream.id, cudaStreamCaptureModeThreadLocal), "beginning to record a graph");
    std::string wrong;
    try {
      work();
    } catch (const std::exception& error) {  // the recording must end all the same
      wrong = error.what();
    }
    const cudaError_t ended = cudaStreamEndCapture(stream.id, &graph);
    if (!wrong.empty()) {
      if (graph) note(cudaGraphDestroy(graph), "destroying a graph");
      throw std::runtime_error(wrong);
    }
    check(ended, "ending to record a graph");
    const cudaError_t made = cudaGraphInstantiate(&id, graph, 0);
    note(cudaGraphDestroy(graph), "destroying a graph");
    check(made, "making a graph ready to launch");
  }
  ~Graph() { note(cudaGraphExecDestroy(id), "destroying a graph"); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(const Stream& stream) const { check(cudaGraphLaunch(id, stream.id), "launching a graph"); }
};

// ---- Measuring

constexpr double most_seconds = 1.5;  // for a line of the table; thirty-five lines

/// One untimed call, then up to `times` numbers; fewer, but three, where they take long.
std::vector<double> repeated(int times, auto measure) {
  const auto begin = Clock::now();
  measure();
  std::vector<double> numbers;
  while (numbers.size() < static_cast<std::size_t>(times) &&
         (numbers.size() < 3 || seconds_since(begin) < most_seconds))
    numbers.push_back(measure());
  return numbers;
}

/// Seconds of the GPU for what `work` puts into the stream.
double on_gpu(const Stream& stream, auto work) {
  const Event begin, end;
  check(cudaEventRecord(begin.id, stream.id), "recording an event");
  work();
  check(cudaEventRecord(end.id, stream.id), "recording an event");
  check(cudaEventSynchronize(end.id), "waiting for an event");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.id, end.id), "reading the time between two events");
  return static_cast<double>(milliseconds) * 1e-3;
}

int failed = 0;

void line(const char* name, const char* unit, auto measure) {
  std::printf("%-58s ", name);
  std::fflush(stdout);
  try {
    std::vector<double> numbers = measure();
    std::sort(numbers.begin(), numbers.end());
    const std::size_t n = numbers.size();
    std::printf("%10.2f %9.2f-%-9.2f %s\n", numbers[n / 2], numbers[n / 10], numbers[n * 9 / 10], unit);
  } catch (const Skipped& why) {
    std::printf("skipped: %s\n", why.what());
  } catch (const std::exception& error) {
    ++failed;
    std::printf("failed: %s\n", error.what());
    static_cast<void>(cudaGetLastError());  // said already; the next line begins anew
  }
  std::fflush(stdout);
}

// ---- Kernels. What a sum is compared with never occurs, but the compiler cannot know.

__global__ void fill(uint4* to, std::size_t count) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const unsigned v = static_cast<unsigned>(i) * 2654435761u;
    to[i] = {v, v ^ 0x9e3779b9u, v * 747796405u, ~v};
  }
}

__global__ void read_often(const uint4* from, unsigned mask, int loads, unsigned never, unsigned* to) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 8
  for (int i = 0; i < loads; ++i) {
    const uint4 v = __ldcg(from + (at & mask));  // past L1
    sum += v.x ^ v.y ^ v.z ^ v.w;
    at += threads;
  }
  if (sum == never) *to = sum;
}

constexpr int chains = 8, fma_times = 1 << 15;
__global__ void __launch_bounds__(1024) multiply_add(float factor, float never, float* to) {
  const float b = factor - 1e-6f * static_cast<float>(threadIdx.x);
  float v[chains];
  for (int i = 0; i < chains; ++i) v[i] = static_cast<float>(i + 1);
#pragma unroll 8
  for (int n = 0; n < fma_times; ++n)
    for (int i = 0; i < chains; ++i) v[i] = fmaf(v[i], b, factor);
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += v[i];
  if (sum == never) *to = sum;
}

constexpr int product_threads = 256, product_depth = 8, product_slices = 500;

template <int Rows, int Columns>
__global__ void __launch_bounds__(product_threads, 2) multiply_from_shared(float* to) {
  constexpr int height = Rows * 4 * 4, width = Columns * 8 * 2, pad = 4;  // 4 x 2 warps
  __shared__ __align__(16) float a[2][product_depth][height + pad], b[2][product_depth][width + pad];
  for (int i = static_cast<int>(threadIdx.x); i < 2 * product_depth * (height + pad); i += product_threads)
    (&a[0][0][0])[i] = 1e-3f * static_cast<float>(i % 100);
  for (int i = static_cast<int>(threadIdx.x); i < 2 * product_depth * (width + pad); i += product_threads)
    (&b[0][0][0])[i] = 1e-3f * static_cast<float>(i % 90);
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / 2 * Rows * 4 + lane / 8 * 4, column = warp % 2 * Columns * 8 + lane % 8 * 4;
  float sum[Rows][Columns] = {};
  for (int slice = 0; slice < product_slices; ++slice) {
#pragma unroll
    for (int k = 0; k < product_depth; ++k) {
      float4 left[Rows / 4], right[Columns / 4];
#pragma unroll
      for (int q = 0; q < Rows / 4; ++q) left[q] = *reinterpret_cast<const float4*>(&a[slice % 2][k][row + q * 16]);
#pragma unroll
      for (int q = 0; q < Columns / 4; ++q)
        right[q] = *reinterpret_cast<const float4*>(&b[slice % 2][k][column + q * 32]);
      const auto number = [](const float4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; };
#pragma unroll
      for (int i = 0; i < Rows; ++i)
#pragma unroll
        for (int j = 0; j < Columns; ++j)
          sum[i][j] = fmaf(number(left[i / 4], i % 4), number(right[j / 4], j % 4), sum[i][j]);
    }
    __syncthreads();
  }
  float all = 0;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) all += sum[i][j];
  if (all == 12345.0f) to[0] = all;
}

constexpr unsigned shared_vectors = 1024;  // of 16 bytes
constexpr int shared_loads = 1 << 14;
__global__ void __launch_bounds__(512) read_shared(unsigned never, unsigned* to) {
  __shared__ uint4 vectors[shared_vectors];
  for (unsigned i = threadIdx.x; i < shared_vectors; i += blockDim.x) vectors[i] = {i, i * 3, i * 5, i * 7};
  __syncthreads();
  unsigned at = threadIdx.x, sum = 0;
#pragma unroll 8
  for (int i = 0; i < shared_loads; ++i) {
    const uint4 v = vectors[at % shared_vectors];
    sum += v.x ^ v.y ^ v.z ^ v.w;
    at += 32 * 3;  // another row for the warp, without two threads at one bank
  }
  if (sum == never) *to = sum;
}

/// By one thread: each address is known when the one before has been read.
__global__ void chase(const unsigned* next, int steps, unsigned never, unsigned* to) {
  unsigned at = 0;
#pragma unroll 8
  for (int i = 0; i < steps; ++i) at = __ldcg(next + at);
  if (at == never) *to = at;
}
constexpr unsigned chased = 1024;  // places in shared memory
__global__ void chase_shared(int steps, unsigned never, unsigned* to) {
  __shared__ unsigned next[chased];
  for (unsigned i = 0; i < chased; ++i) next[i] = (i + 33) % chased;
  unsigned at = 0;
#pragma unroll 8
  for (int i = 0; i < steps; ++i) at = next[at];
  if (at == never) *to = at;
}
/// The same in the shared memory of the other block of a cluster of two.
__global__ void chase_neighbour(int steps, unsigned never, unsigned* to) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned next[chased];
  auto cluster = cooperative_groups::this_cluster();
  for (unsigned i = 0; i < chased; ++i) next[i] = (i + 33) % chased;
  cluster.sync();
  const unsigned* others = cluster.map_shared_rank(next, cluster.block_rank() ^ 1);
  unsigned at = 0;
  for (int i = 0; i < steps; ++i) at = others[at];
  if (at == never) *to = at;
  cluster.sync();
#endif
}
/// Every block the same lines: what weights are to all that read them.
__global__ void read_the_same(const uint4* from, unsigned mask, int loads, unsigned never, unsigned* to) {
  unsigned at = threadIdx.x, sum = 0;
#pragma unroll 8
  for (int i = 0; i < loads; ++i) {
    const uint4 v = __ldcg(from + (at & mask));
    sum += v.x ^ v.y ^ v.z ^ v.w;
    at += blockDim.x;
  }
  if (sum == never) *to = sum;
}

__global__ void block_barriers(int times) {
#pragma unroll 16
  for (int i = 0; i < times; ++i) __syncthreads();
}

__global__ void grid_barriers(int times) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = 0; i < times; ++i) grid.sync();
}

__global__ void nothing() {}

/// Lets the next kernel be launched while it still runs itself, and waits for the one before.
__global__ void nothing_dependent() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Writes so many words of shared memory. A step of the plan `pair` is a kernel with much of it, then one with little.
template <bool Dependent, bool Much>
__global__ void __launch_bounds__(512) write_shared(unsigned words) {
  extern __shared__ unsigned written[];
#if __CUDA_ARCH__ >= 900
  if constexpr (Dependent) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
  volatile unsigned* to = written;
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) to[i] = i;
}

__global__ void tell(volatile int* flag, int value) {
  __threadfence_system();
  *flag = value;
}

/// Answers each number that the host writes with the same; `rounds` times, or until `most_cycles` went by without one.
__global__ void mailbox(const volatile int* question, volatile int* answer, int rounds, long long most_cycles) {
  for (int round = 1; round <= rounds; ++round) {
    const long long begin = clock64();
    while (*question != round)
      if (clock64() - begin > most_cycles) return;
    __threadfence_system();
    *answer = round;
  }
}

// ---- What the host does with them

void await(const volatile int& flag, int value) {
  const auto begin = Clock::now();
  for (long spins = 0; flag != value; ++spins)
    if (spins % 1024 == 1023 && seconds_since(begin) > 0.5)
      throw std::runtime_error("the GPU did not answer in half a second");
}

struct Machine {
  cudaDeviceProp properties{};
  int multiprocessors = 0;

  Machine() {
    check(cudaGetDeviceProperties(&properties, 0), "asking for the properties of the GPU");
    check(cudaSetDevice(0), "choosing the GPU");
    multiprocessors = properties.multiProcessorCount;
  }
  void fill_with_numbers(const Stream& stream, uint4* to, std::size_t count) const {
    fill<<<multiprocessors * 8, 256, 0, stream.id>>>(to, count);
    launched("launching a kernel that fills memory");
    stream.wait();
  }
};

std::vector<double> copy(const Machine& machine, const Stream& stream) {
  std::size_t available = 0, all = 0;
  check(cudaMemGetInfo(&available, &all), "asking for the free memory");
  const std::size_t count = std::min<std::size_t>(std::size_t{4} << 30, available / 3) / sizeof(uint4);
  const Memory<uint4> from(count), to(count);
  machine.fill_with_numbers(stream, from.data, count);
  machine.fill_with_numbers(stream, to.data, count);
  const std::size_t bytes = count * sizeof(uint4);
  return repeated(15, [&] {
    return 2e-9 * static_cast<double>(bytes) / on_gpu(stream, [&] {
             check(cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDeviceToDevice, stream.id),
                   "copying on the GPU");
           });
  });
}

std::vector<double> read_cache(const Machine& machine, const Stream& stream) {
  std::size_t count = 1 << 20;  // 16 MB
  while (count * sizeof(uint4) > static_cast<std::size_t>(machine.properties.l2CacheSize) && count > 1024) count /= 2;
  const Memory<uint4> from(count);
  const Memory<unsigned> to(1);
  machine.fill_with_numbers(stream, from.data, count);
  const int blocks = machine.multiprocessors * 8, threads = 256, loads = 1024;
  return repeated(25, [&] {
    return 1e-9 * sizeof(uint4) * blocks * threads * loads / on_gpu(stream, [&] {
             read_often<<<blocks, threads, 0, stream.id>>>(from.data, static_cast<unsigned>(count - 1), loads, 12345u,
                                                           to.data);
             launched("launching a kernel that reads the L2 cache");
           });
  });
}

std::vector<double> fma_peak(const Machine& machine, const Stream& stream) {
  const Memory<float> to(1);
  const int blocks = machine.multiprocessors * 2, threads = 1024;
  return repeated(25, [&] {
    return 2e-12 * blocks * threads * chains * fma_times / on_gpu(stream, [&] {
             multiply_add<<<blocks, threads, 0, stream.id>>>(0.5f, -1.0f, to.data);
             launched("launching a kernel of multiply-adds");
           });
  });
}

/// Of a product whose slices are in shared memory, by 256 threads with Rows x Columns sums each, 4 x 8 threads a warp.
template <int Rows, int Columns>
std::vector<double> product_from_shared(const Machine& machine, const Stream& stream) {
  const Memory<float> to(1);
  const int blocks = machine.multiprocessors * 2;
  return repeated(25, [&] {
    return 2e-12 * blocks * product_threads * Rows * Columns * product_depth * product_slices / on_gpu(stream, [&] {
             multiply_from_shared<Rows, Columns><<<blocks, product_threads, 0, stream.id>>>(to.data);
             launched("launching a product from shared memory");
           });
  });
}

std::vector<double> shared_bandwidth(const Machine& machine, const Stream& stream) {
  const Memory<unsigned> to(1);
  const int blocks = machine.multiprocessors * 2, threads = 512;
  return repeated(25, [&] {
    return 1e-9 * sizeof(uint4) * blocks * threads * shared_loads / on_gpu(stream, [&] {
             read_shared<<<blocks, threads, 0, stream.id>>>(12345u, to.data);
             launched("launching a kernel that reads shared memory");
           });
  });
}

/// Nanoseconds of a read, of so many bytes that are read in any order.
std::vector<double> latency(const Stream& stream, std::size_t bytes) {
  // A permutation of one cycle, a place for each line of 128 bytes.
  const std::size_t lines = bytes / 128, places = 128 / sizeof(unsigned);
  std::vector<unsigned> order(lines), next(lines * places);
  for (std::size_t i = 0; i < lines; ++i) order[i] = static_cast<unsigned>(i);
  std::mt19937 random(1);
  std::shuffle(order.begin() + 1, order.end(), random);
  for (std::size_t i = 0; i < lines; ++i)
    next[order[i] * places] = static_cast<unsigned>(order[(i + 1) % lines] * places);
  const Memory<unsigned> there(next.size()), to(1);
  check(cudaMemcpy(there.data, next.data(), next.size() * sizeof(unsigned), cudaMemcpyHostToDevice),
        "copying to the GPU");
  const int steps = 1 << 14;
  return repeated(15, [&] {
    return 1e9 / steps * on_gpu(stream, [&] {
             chase<<<1, 1, 0, stream.id>>>(there.data, steps, 1u, to.data);
             launched("launching a kernel that waits for each of its reads");
           });
  });
}
std::vector<double> shared_latency(const Stream& stream) {
  const Memory<unsigned> to(1);
  const int steps = 1 << 16;
  return repeated(15, [&] {
    return 1e9 / steps * on_gpu(stream, [&] {
             chase_shared<<<1, 1, 0, stream.id>>>(steps, chased, to.data);
             launched("launching a kernel that waits for shared memory");
           });
  });
}
std::vector<double> neighbour_latency(const Machine& machine, const Stream& stream) {
  if (machine.properties.major < 9) throw Skipped("this GPU has no clusters");
  const Memory<unsigned> to(1);
  const int steps = 1 << 14;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t two{};
  two.gridDim = dim3(2);
  two.blockDim = dim3(1);
  two.stream = stream.id;
  two.attrs = &cluster;
  two.numAttrs = 1;
  return repeated(15, [&] {
    return 1e9 / steps * on_gpu(stream, [&] {
             check(cudaLaunchKernelEx(&two, chase_neighbour, steps, chased, to.data), "launching a cluster");
           });
  });
}

std::vector<double> read_same_lines(const Machine& machine, const Stream& stream) {
  const std::size_t size = 8192;  // 128 KB: a power of two above the 87 KB of W1's weights
  const Memory<uint4> from(size);
  const Memory<unsigned> to(1);
  machine.fill_with_numbers(stream, from.data, size);
  const int blocks = machine.multiprocessors, threads = 512, loads = 2048;
  return repeated(25, [&] {
    return 1e-9 * sizeof(uint4) * blocks * threads * loads / on_gpu(stream, [&] {
             read_the_same<<<blocks, threads, 0, stream.id>>>(from.data, static_cast<unsigned>(size - 1), loads, 12345u,
                                                              to.data);
             launched("launching a kernel whose blocks read the same lines");
           });
  });
}

std::vector<double> block_barrier(const Machine& machine, const Stream& stream, int threads) {
  const int times = 1 << 16;
  return repeated(25, [&] {
    return 1e9 / times * on_gpu(stream, [&] {
             block_barriers<<<machine.multiprocessors, threads, 0, stream.id>>>(times);
             launched("launching a kernel of barriers");
           });
  });
}

std::vector<double> grid_barrier(const Machine& machine, const Stream& stream) {
  int can = 0;
  check(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0), "asking for cooperative launches");
  if (!can) throw Skipped("this GPU has no cooperative launches");
  int times = 1000;
  return repeated(25, [&] {
    return 1e6 / times * on_gpu(stream, [&] {
             void* values[] = {&times};
             check(cudaLaunchCooperativeKernel(grid_barriers, dim3(static_cast<unsigned>(machine.multiprocessors)),
                                               dim3(256), values, 0, stream.id),
                   "launching a cooperative kernel");
           });
  });
}

constexpr int in_a_row = 500;

std::vector<double> gap_in_stream(const Stream& stream, int blocks, int threads) {
  return repeated(25, [&] {
    return 1e6 / in_a_row * on_gpu(stream, [&] {
             for (int i = 0; i < in_a_row; ++i) nothing<<<blocks, threads, 0, stream.id>>>();
             launched("launching an empty kernel");
           });
  });
}

std::vector<double> gap_in_graph(const Stream& stream, auto launch) {
  const Graph graph(stream, [&] {
    for (int i = 0; i < in_a_row; ++i) launch();
  });
  return repeated(25, [&] { return 1e6 / in_a_row * on_gpu(stream, [&] { graph.launch(stream); }); });
}

std::vector<double> gap_in_plain_graph(const Stream& stream, int blocks, int threads) {
  return gap_in_graph(stream, [&] {
    nothing<<<blocks, threads, 0, stream.id>>>();
    launched("recording an empty kernel");
  });
}

/// A launch that may begin before the one before it in the stream ends.
template <class... Parameters>
void launch_dependent(const Stream& stream, void (*kernel)(Parameters...), int blocks, int threads, std::size_t shared,
                      Parameters... values) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared;
  config.stream = stream.id;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, values...), "recording a dependent kernel");
}

void need_dependent_launches(const Machine& machine) {
  cudaFuncAttributes kernel{};
  check(cudaFuncGetAttributes(&kernel, nothing_dependent), "asking what a kernel was compiled for");
  if (machine.properties.major < 9 || kernel.ptxVersion < 90)
    throw Skipped("needs compute capability 9.0, of the GPU and of the program");
}

std::vector<double> gap_in_dependent_graph(const Machine& machine, const Stream& stream, int blocks, int threads) {
  need_dependent_launches(machine);
  return gap_in_graph(stream, [&] { launch_dependent(stream, nothing_dependent, blocks, threads, 0); });
}

/// Kernels that alternate between 92 KB and 1 KB of shared memory for a block of 512 threads, one a multiprocessor, as
/// W1's do; with the same split of L1 and shared memory asked for both, or with what the driver chooses for each.
template <bool Dependent>
std::vector<double> gap_of_pair(const Machine& machine, const Stream& stream, bool same_split) {
  if (Dependent) need_dependent_launches(machine);
  constexpr std::size_t much = 92 * 1024, little = 1024;
  if (machine.properties.sharedMemPerBlockOptin < much) throw Skipped("a block of this GPU has less than 92 KB");
  const auto large = write_shared<Dependent, true>, small = write_shared<Dependent, false>;
  check(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, much), "asking for 92 KB");
  for (const auto kernel : {large, small})
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               same_split ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutDefault),
          "choosing the split of L1 and shared memory");
  bool second = false;
  return gap_in_graph(stream, [&] {
    const auto kernel = second ? small : large;
    const std::size_t bytes = second ? little : much;
    const unsigned words = little / sizeof(unsigned);  // the same work in both
    second = !second;
    if constexpr (Dependent) {
      launch_dependent(stream, kernel, machine.multiprocessors, 512, bytes, words);
    } else {
      kernel<<<machine.multiprocessors, 512, bytes, stream.id>>>(words);
      launched("recording a kernel with shared memory");
    }
  });
}

std::vector<double> launch_to_flag(const Stream& stream) {
  const Pinned flag(1);
  int value = 0;
  const auto round = [&] {
    const auto begin = Clock::now();
    tell<<<1, 1, 0, stream.id>>>(flag.on_gpu, ++value);
    launched("launching a kernel that writes a flag");
    await(*flag.data, value);
    return 1e6 * seconds_since(begin);
  };
  try {
    auto numbers = repeated(2000, round);
    stream.wait();
    return numbers;
  } catch (...) {  // the kernel still writes to the flag, which is about to be freed
    note(cudaStreamSynchronize(stream.id), "waiting for a stream");
    throw;
  }
}

std::vector<double> mailbox_round(const Stream& stream) {
  const int rounds = 2000;
  const Pinned question(1), answer(1);
  mailbox<<<1, 1, 0, stream.id>>>(question.on_gpu, answer.on_gpu, rounds, 1'000'000'000);
  launched("launching a kernel that waits for the host");
  try {
    std::vector<double> numbers;
    for (int round = 1; round <= rounds; ++round) {
      const auto begin = Clock::now();
      *question.data = round;
      await(*answer.data, round);
      numbers.push_back(1e6 * seconds_since(begin));
    }
    stream.wait();
    return numbers;
  } catch (...) {  // it ends by its own limit of time
    note(cudaStreamSynchronize(stream.id), "waiting for a stream");
    throw;
  }
}

constexpr std::size_t small = 3072;

std::vector<double> there_and_back(char* host) {
  const Memory<char> gpu(small);
  return repeated(1000, [&] {
    const auto begin = Clock::now();
    check(cudaMemcpy(gpu.data, host, small, cudaMemcpyHostToDevice), "copying to the GPU");
    check(cudaMemcpy(host, gpu.data, small, cudaMemcpyDeviceToHost), "copying from the GPU");
    return 1e6 * seconds_since(begin);
  });
}

std::vector<double> launch_and_wait(const Stream& stream) {
  return repeated(2000, [&] {
    const auto begin = Clock::now();
    nothing<<<1, 1, 0, stream.id>>>();
    launched("launching an empty kernel");
    stream.wait();
    return 1e6 * seconds_since(begin);
  });
}

void measure_all() {
  const Machine machine;
  const cudaDeviceProp& p = machine.properties;
  std::printf("%s, compute capability %d.%d, %d multiprocessors, %.0f GB, L2 %.0f MB\n", p.name, p.major, p.minor,
              machine.multiprocessors, static_cast<double>(p.totalGlobalMem) * 1e-9, p.l2CacheSize * 1e-6);
  std::printf("%-58s %10s %19s\n", "ceilings", "median", "10-90 %");
  const Stream stream;
  const int all = machine.multiprocessors;
  line("copy on the GPU, bytes read and written", "GB/s", [&] { return copy(machine, stream); });
  line("L2 cache, 16 MB (or what it holds) read again and again", "GB/s", [&] { return read_cache(machine, stream); });
  line("float32 multiply-adds in registers", "TFLOP/s", [&] { return fma_peak(machine, stream); });
  line("product from shared memory, 4 x 4 sums a thread", "TFLOP/s",
       [&] { return product_from_shared<4, 4>(machine, stream); });
  line("  8 x 4 sums", "TFLOP/s", [&] { return product_from_shared<8, 4>(machine, stream); });
  line("  8 x 8 sums", "TFLOP/s", [&] { return product_from_shared<8, 8>(machine, stream); });
  line("shared memory, all multiprocessors, 16 bytes a thread", "GB/s",
       [&] { return shared_bandwidth(machine, stream); });
  line("L2 cache, 128 KB, the same lines for all multiprocessors", "GB/s",
       [&] { return read_same_lines(machine, stream); });
  line("latency of shared memory", "ns", [&] { return shared_latency(stream); });
  line("latency of the shared memory of a neighbour in a cluster", "ns",
       [&] { return neighbour_latency(machine, stream); });
  line("latency of the L2 cache, 4 MB", "ns", [&] { return latency(stream, std::size_t{4} << 20); });
  line("latency of the device's memory, 512 MB", "ns", [&] { return latency(stream, std::size_t{1} << 29); });
  line("__syncthreads, 256 threads", "ns", [&] { return block_barrier(machine, stream, 256); });
  line("__syncthreads, 512 threads", "ns", [&] { return block_barrier(machine, stream, 512); });
  line("grid.sync, a block of 256 threads a multiprocessor", "us", [&] { return grid_barrier(machine, stream); });
  line("kernel after kernel in a stream", "us", [&] { return gap_in_stream(stream, 1, 32); });
  line("kernel after kernel in a graph", "us", [&] { return gap_in_plain_graph(stream, 1, 32); });
  line("  a block of 256 threads a multiprocessor", "us", [&] { return gap_in_plain_graph(stream, all, 256); });
  line("kernel after kernel in a graph, dependent launches", "us",
       [&] { return gap_in_dependent_graph(machine, stream, 1, 32); });
  line("  a block of 256 threads a multiprocessor", "us",
       [&] { return gap_in_dependent_graph(machine, stream, all, 256); });
  line("kernels with 92 KB and 1 KB of shared memory in a graph", "us",
       [&] { return gap_of_pair<false>(machine, stream, false); });
  line("  one split of L1 for both", "us", [&] { return gap_of_pair<false>(machine, stream, true); });
  line("  dependent launches", "us", [&] { return gap_of_pair<true>(machine, stream, false); });
  line("  dependent launches, one split of L1 for both", "us",
       [&] { return gap_of_pair<true>(machine, stream, true); });
  line("launch until the host sees a flag in pinned memory", "us", [&] { return launch_to_flag(stream); });
  line("flag to a running kernel until the host sees its answer", "us", [&] { return mailbox_round(stream); });
  line("launch and cudaStreamSynchronize", "us", [&] { return launch_and_wait(stream); });
  std::vector<char> pageable(small, 'x');
  line("cudaMemcpy of 3 KB to the GPU and back", "us", [&] { return there_and_back(pageable.data()); });
  line("  from and to pinned memory", "us", [&] {
    const Pinned pinned(small / sizeof(int));
    return there_and_back(reinterpret_cast<char*>(const_cast<int*>(pinned.data)));
  });
}
}  // namespace

int main() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    std::printf("skipped: there is no CUDA device to use: %s\n",
                cudaGetErrorString(code == cudaSuccess ? cudaErrorNoDevice : code));
    return 77;
  }
  try {
    measure_all();
  } catch (const std::exception& error) {
    std::printf("failed: %s\n", error.what());
    return 1;
  }
  if (failed != 0) std::printf("%d lines failed\n", failed);
  return failed == 0 ? 0 : 1;
}
