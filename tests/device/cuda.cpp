// SPDX-License-Identifier: MIT
// labels: cuda large gpu sanitized change
#include "sinter/device/cuda.cuh"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/device/cuda_array.cuh"
#include "sinter/device/cuda_error.cuh"
#include "support/check_refused.hpp"
#include "support/fake_cuda/fake_cuda.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINTER_TEST_ADDRESSES 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SINTER_TEST_ADDRESSES)
#include <sanitizer/asan_interface.h>
#undef SINTER_TEST_ADDRESSES
#define SINTER_TEST_ADDRESSES 1
#endif

using namespace sinter::internal;
namespace fake = sinter_test::fake_cuda;

namespace {

struct Fake {
  Fake() { fake::reset(); }
  ~Fake() {
    CHECK(fake::counters().overruns == 0);
    CHECK(fake::counters().bad_frees == 0);
    fake::reset();
  }
};

const std::vector<fake::Device> two_devices = {{.name = "Fake H200"},
                                               {.name = "Fake T4",
                                                .major = 7,
                                                .minor = 5,
                                                .memory_bytes = 1 << 20,
                                                .multiprocessors = 40,
                                                .shared_memory_per_block = 64 * 1024}};

template <class T>
std::vector<T> values_of(const CudaArray<T>& array) {
  std::vector<T> values(array.size());
  array.download(values.data(), values.size());
  return values;
}

cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess);
  return stream;
}

struct AddArgument {
  float* to;
  const float* from;
  int n;
};
void add(const void* argument, unsigned blocks, unsigned threads, std::size_t) {
  const auto& a = *static_cast<const AddArgument*>(argument);
  for (int i = 0; i < std::min(a.n, static_cast<int>(blocks * threads)); ++i) a.to[i] += a.from[i];
}
const fake::HostKernel add_kernel{sizeof(AddArgument), add};

template <class Argument>
cudaError_t launch(const fake::HostKernel& kernel, Argument argument, dim3 blocks, dim3 threads,
                   std::size_t shared_memory = 0, cudaStream_t stream = nullptr) {
  void* arguments[] = {&argument};
  return cudaLaunchKernel(&kernel, blocks, threads, arguments, shared_memory, stream);
}
cudaError_t launch_nothing(dim3 blocks, dim3 threads, std::size_t shared_memory = 0) {
  return launch(add_kernel, AddArgument{nullptr, nullptr, 0}, blocks, threads, shared_memory);
}

}  // namespace

// ---------------------------------------------------------------- errors

TEST_CASE_FIXTURE(Fake, "an error says what sinter was doing, CUDA's name and text of it, and what to do") {
  CHECK_NOTHROW(cuda_check(cudaSuccess, "counting sheep"));
  check_refused([] { cuda_check(cudaErrorInvalidValue, "counting sheep"); },
                {"counting sheep failed", "cudaErrorInvalidValue", "invalid argument", "compute-sanitizer"});
}

TEST_CASE_FIXTURE(Fake, "no driver and a driver that is too old are distinguished") {
  const auto fails = [] { cuda_check(cudaErrorInsufficientDriver, "looking for devices"); };
  fake::set_driver_version(0);
  check_refused(fails, {"cudaErrorInsufficientDriver", "no NVIDIA driver", "--gpus all", "sinter::Host"});
  CHECK(!has(error_of(fails), "too old"));

  fake::set_driver_version(11080);
  const std::string built_with = std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION / 10 % 10);
  check_refused(fails, {"too old", "knows CUDA 11.8", "built with CUDA " + built_with, "newer driver"});

  fake::set_driver_version(12080);
  fake::fail_next("cudaDriverGetVersion", cudaErrorUnknown);
  check_refused(fails, {"no NVIDIA driver"});
}

TEST_CASE_FIXTURE(Fake, "devices that are not there") {
  check_refused([] { cuda_check(cudaErrorNoDevice, "looking"); }, {"nvidia-smi", "CUDA_VISIBLE_DEVICES"});

  fake::set_devices(two_devices);
  const auto fails = [] { cuda_check(cudaErrorInvalidDevice, "looking"); };
  check_refused(fails, {"cudaErrorInvalidDevice", "2 devices", "cuda_devices()"});
  fake::set_devices({});
  check_refused(fails, {"no such device"});
}

TEST_CASE_FIXTURE(Fake, "out of memory says how much there is, where it can be asked") {
  const CudaArray<float> array(Cuda{}, std::size_t{1} << 26);
  const auto fails = [] { cuda_check(cudaErrorMemoryAllocation, "allocating"); };
  check_refused(fails, {"cudaErrorMemoryAllocation", "768 of the device's 1024 MiB are free", "smaller batches"});
  fake::fail_next("cudaMemGetInfo", cudaErrorUnknown);
  CHECK(!has(error_of(fails), "MiB"));
  fake::fail_next("cudaMemGetInfo", cudaErrorUnknown);
  check_refused(fails, {"smaller batches"});
}

TEST_CASE_FIXTURE(Fake, "a program built for other architectures") {
  for (const cudaError_t code :
       {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction, cudaErrorUnsupportedPtxVersion}) {
    const auto fails = [&] { cuda_check(code, "starting a kernel"); };
    check_refused(fails,
                  {cudaGetErrorName(code), "other architectures", "capability 9.0", "-arch=native", "-arch=all-major"});
    CHECK(has(error_of(fails), "newer driver") == (code == cudaErrorUnsupportedPtxVersion));
    for (const char* function : {"cudaGetDevice", "cudaDeviceGetAttribute"}) {
      fake::fail_next(function, cudaErrorUnknown);
      const std::string message = error_of(fails);
      CHECK(has(message, "that of this device; compile"));
    }
  }
}

TEST_CASE_FIXTURE(Fake, "errors that lose the context") {
  for (const cudaError_t code :
       {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorAssert, cudaErrorMisalignedAddress,
        cudaErrorIllegalInstruction, cudaErrorInvalidAddressSpace, cudaErrorInvalidPc, cudaErrorHardwareStackError,
        cudaErrorLaunchTimeout, cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable})
    check_refused([&] { cuda_check(code, "waiting for a step"); },
                  {"waiting for a step", cudaGetErrorName(code), "one of your own", "compute-sanitizer",
                   "context is lost", "host memory can still be read"});
}

TEST_CASE_FIXTURE(Fake, "an error that sinter reports is not found by the user's next cudaGetLastError") {
  CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
  error_of([] { cuda_check(cudaErrorInvalidDevice, "making a device current"); });
  CHECK(cudaGetLastError() == cudaSuccess);

  fake::set_driver_version(0);
  CHECK(cuda_devices().empty());
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(!why_no_cuda().empty());
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE_FIXTURE(Fake, "an error of the user's own stays, and does not stop sinter") {
  CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
  CHECK(cuda_devices().size() == 1);
  CHECK(values_of(CudaArray<int>(Cuda{}, 3)) == std::vector{0, 0, 0});
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

// ---------------------------------------------------------------- devices

TEST_CASE_FIXTURE(Fake, "the devices and what they have") {
  fake::set_devices(two_devices);
  const std::vector<CudaDevice> devices = cuda_devices();
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].name == "Fake H200");
  CHECK(devices[0].shared_memory_per_block == 227 * 1024);
  CHECK(devices[1].index == 1);
  CHECK(devices[1].name == "Fake T4");
  CHECK(devices[1].major == 7);
  CHECK(devices[1].minor == 5);
  CHECK(devices[1].memory_bytes == 1 << 20);
  CHECK(devices[1].multiprocessors == 40);
  CHECK(why_no_cuda().empty());
  CHECK(require_cuda_device({.device = 1}).name == "Fake T4");
  CHECK(require_cuda_device({}).index == 0);

  fake::fail_next("cudaGetDeviceProperties", cudaErrorUnknown, 1);
  check_refused([] { cuda_devices(); }, {"properties", "cudaErrorUnknown"});
}

TEST_CASE_FIXTURE(Fake, "no device is an ordinary value, with a sentence that says why") {
  const auto why = [](const std::string& part) {
    CHECK(cuda_devices().empty());
    CHECK(has(why_no_cuda(), "there is no CUDA device"));
    CHECK(has(why_no_cuda(), part));
    CHECK(error_of([] { require_cuda_device({}); }) == why_no_cuda());
  };
  fake::set_driver_version(0);
  why("no NVIDIA driver");
  fake::set_driver_version(11040);
  why("knows CUDA 11.4");
  fake::set_driver_version(CUDART_VERSION);
  fake::set_devices({});
  why("CUDA_VISIBLE_DEVICES");
  fake::set_devices(two_devices);
  fake::break_context(cudaErrorIllegalAddress);
  why("context is lost");
}

TEST_CASE_FIXTURE(Fake, "a device that is not there is refused, with a list of those that are") {
  check_refused([] { require_cuda_device({.device = 1}); },
                {"CUDA device 1 was asked for", "there is 1: 0 \"Fake H200\";"});
  fake::set_devices(two_devices);
  check_refused([] { require_cuda_device({.device = 3}); },
                {"CUDA device 3 was asked for", "there are 2: 0 \"Fake H200\", 1 \"Fake T4\";"});
  check_refused([] { require_cuda_device({.device = -1}); }, {"CUDA device -1 was asked for"});
}

TEST_CASE_FIXTURE(Fake, "a current device is put back, and not set where it is already current") {
  fake::set_devices(two_devices);
  int device = -1;
  {
    const CurrentCudaDevice same(0);
    CHECK(fake::calls("cudaSetDevice") == 0);
    const CurrentCudaDevice other(1);
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 1);
    std::thread([] {
      int of_the_thread = -1;
      CHECK(cudaGetDevice(&of_the_thread) == cudaSuccess);
      CHECK(of_the_thread == 0);
    }).join();
  }
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);

  check_refused([] { CurrentCudaDevice{2}; }, {"making CUDA device 2", "2 devices"});
  fake::fail_next("cudaGetDevice", cudaErrorUnknown);
  check_refused([] { CurrentCudaDevice{1}; }, {"asking for the current CUDA device"});
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);
}

TEST_CASE_FIXTURE(Fake, "a current device in a destructor refuses nothing and leaves no error") {
  fake::set_devices(two_devices);
  for (const char* function : {"cudaGetDevice", "cudaSetDevice"}) {
    fake::fail_next(function, cudaErrorUnknown);
    {
      const CurrentCudaDevice current(1, std::nothrow);
    }
    CHECK(cudaSetDevice(0) == cudaSuccess);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
  {
    const CurrentCudaDevice current(1);
    fake::fail_next("cudaSetDevice", cudaErrorUnknown);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
}

// ---------------------------------------------------------------- arrays

static_assert(std::is_nothrow_move_constructible_v<CudaArray<float>> &&
              std::is_nothrow_move_assignable_v<CudaArray<float>>);

TEST_CASE_TEMPLATE("an array begins with zeros, takes numbers and gives them back", T, float, double, std::uint8_t,
                   std::int64_t) {
  const Fake clean;
  {
    CudaArray<T> array(Cuda{}, 5);
    CHECK(array.size() == 5);
    CHECK(std::as_const(array).data() == array.data());
    CHECK(fake::counters().live_bytes == 5 * sizeof(T));
    CHECK(values_of(array) == std::vector<T>(5, T(0)));

    const T two[] = {T(1), T(2)}, five[] = {T(1), T(2), T(3), T(4), T(5)};
    array.upload(two, 2, 3);
    CHECK(values_of(array) == std::vector<T>{T(0), T(0), T(0), T(1), T(2)});
    array.upload(five, 5);
    T middle[2] = {};
    array.download(middle, 2, 1);
    CHECK(middle[0] == T(2));
    CHECK(middle[1] == T(3));
    CHECK(fake::counters().bytes_to_device == 7 * sizeof(T));
  }
  CHECK(fake::counters().live_allocations == 0);
  CHECK(fake::counters().frees == 1);
}

TEST_CASE_FIXTURE(Fake, "an empty array has no memory and asks CUDA for nothing") {
  fake::set_driver_version(0);
  CudaArray<float> none, empty(Cuda{}, 0);
  const CudaArray<float> copy = empty;
  empty.upload(nullptr, 0);
  empty.download(nullptr, 0);
  CHECK(none.data() == nullptr);
  CHECK(copy.data() == nullptr);
  CHECK(copy.size() == 0);
  CHECK(fake::calls("cudaMalloc") == 0);
  CHECK(fake::calls("cudaGetDevice") == 0);
}

TEST_CASE_FIXTURE(Fake, "copies are apart from each other, a move takes the memory along") {
  {
    const float values[] = {1, 2, 3};
    CudaArray<float> a(Cuda{}, 3);
    a.upload(values, 3);
    CudaArray<float> b = a;
    CHECK(b.data() != a.data());
    CHECK(fake::counters().bytes_to_host == 0);
    const float nine = 9;
    a.upload(&nine, 1);
    CHECK(values_of(a) == std::vector<float>{9, 2, 3});
    CHECK(values_of(b) == std::vector<float>{1, 2, 3});

    const float* at = b.data();
    const long mallocs = fake::counters().mallocs;
    CudaArray<float> c = std::move(b);
    CHECK(c.data() == at);
    CHECK(b.size() == 0);  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
    CHECK(b.data() == nullptr);
    b = std::move(c);
    CHECK(b.data() == at);
    CHECK(fake::counters().mallocs == mallocs);

    b = a;
    CHECK(values_of(b) == std::vector<float>{9, 2, 3});
    const CudaArray<float>& same = b;
    b = same;
    CHECK(values_of(b) == std::vector<float>{9, 2, 3});
    a = CudaArray<float>();
    CHECK(fake::counters().live_allocations == 1);
  }
  CHECK(fake::counters().live_bytes == 0);
}

TEST_CASE_FIXTURE(Fake, "an array is on its device and does not change the current one") {
  fake::set_devices(two_devices);
  int device = -1;
  {
    CudaArray<float> array(Cuda{.device = 1}, 100);
    CHECK(array.device().device == 1);
    std::size_t free = 0, total = 0;
    {
      const CurrentCudaDevice current(1);
      CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
      CHECK(free == (1 << 20) - 400);
    }
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(free == total);

    const CudaArray<float> copy = array;
    CHECK(copy.device().device == 1);
    CHECK(values_of(copy) == std::vector<float>(100));
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 0);
  }
  CHECK(cudaGetDevice(&device) == cudaSuccess);
  CHECK(device == 0);
  CHECK(fake::counters().live_bytes == 0);
  check_refused([] { CudaArray<float>(Cuda{.device = 2}, 1); }, {"CUDA device 2", "cudaErrorInvalidDevice"});
}

TEST_CASE_FIXTURE(Fake, "the work of an array is in its stream: a capture takes it") {
  const Cuda cuda{.stream = new_stream()};
  CudaArray<float> array(cuda, 2);
  const float values[] = {1, 2};
  REQUIRE(cudaStreamBeginCapture(cuda.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  array.upload(values, 2);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(cuda.stream, &graph) == cudaSuccess);
  CHECK(values_of(array) == std::vector<float>{0, 0});

  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, cuda.stream) == cudaSuccess);
  CHECK(values_of(array) == std::vector<float>{1, 2});

  // To allocate, and to wait, is refused in a capture.
  REQUIRE(cudaStreamBeginCapture(cuda.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  check_refused([&] { values_of(array); }, {"waiting for a copy", "cudaErrorStreamCaptureUnsupported"});
  check_refused([&] { CudaArray<float>(cuda, 1); }, {"allocating 4 bytes", "cudaErrorStreamCaptureUnsupported"});
  CHECK(cudaStreamEndCapture(cuda.stream, &graph) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE_FIXTURE(Fake, "a download waits for the stream, an upload does not") {
  CudaArray<float> array(Cuda{}, 2);
  const float one = 1;
  array.upload(&one, 1);
  const CudaArray<float> copy = array;
  CHECK(fake::counters().synchronisations == 0);
  values_of(array);
  CHECK(fake::counters().synchronisations == 1);
}

TEST_CASE_FIXTURE(Fake, "places outside of an array are refused") {
  CudaArray<float> array(Cuda{}, 8);
  float values[16] = {};
  check_refused([&] { array.upload(values, 9); }, {"9 values from place 0 of a CudaArray of 8", "uploaded"});
  check_refused([&] { array.download(values, 4, 5); }, {"4 values from place 5 of a CudaArray of 8", "downloaded"});
  check_refused([&] { array.download(values, 0, 9); }, {"0 values from place 9"});
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  check_refused([&] { array.upload(values, most, 2); }, {"from place 2"});
  array.download(values, 0, 8);
  CHECK(fake::counters().copies == 0);
}

TEST_CASE_FIXTURE(Fake, "arrays that are too large are refused with a message, and nothing leaks") {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  check_refused([&] { CudaArray<double>(Cuda{}, most / 8 + 1); },
                {"a CudaArray of 2305843009213693952 values of 8 bytes", "no memory can hold"});
  check_refused([] { CudaArray<float>(Cuda{}, std::size_t{1} << 28 | 1); },
                {"allocating 1073741828 bytes on CUDA device 0", "1024 of the device's 1024 MiB are free"});
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(fake::counters().live_bytes == 0);
}

TEST_CASE_FIXTURE(Fake, "whatever fails on the way, memory is given back") {
  fake::fail_next("cudaMalloc", cudaErrorMemoryAllocation);
  check_refused([] { CudaArray<float>(Cuda{}, 1); }, {"allocating 4 bytes"});
  fake::fail_next("cudaMemsetAsync", cudaErrorUnknown);
  check_refused([] { CudaArray<float>(Cuda{}, 1); }, {"setting memory", "cudaErrorUnknown"});
  CHECK(fake::counters().live_allocations == 0);

  CudaArray<float> array(Cuda{}, 1);
  float value = 3;
  fake::fail_next("cudaMemcpyAsync", cudaErrorUnknown);
  check_refused([&] { CudaArray<float> copy = array; }, {"copying memory of a CUDA device"});
  fake::fail_next("cudaMalloc", cudaErrorMemoryAllocation);
  check_refused([&] { array = CudaArray<float>(array); }, {"allocating 4 bytes"});
  CHECK(fake::counters().live_allocations == 1);
  fake::fail_next("cudaMemcpyAsync", cudaErrorUnknown);
  check_refused([&] { array.upload(&value, 1); }, {"copying to a CUDA device"});
  fake::fail_next("cudaMemcpyAsync", cudaErrorUnknown);
  check_refused([&] { array.download(&value, 1); }, {"copying from a CUDA device"});
  fake::fail_next("cudaStreamSynchronize", cudaErrorLaunchFailure);
  check_refused([&] { array.download(&value, 1); }, {"waiting for a copy", "context is lost"});
}

TEST_CASE_FIXTURE(Fake, "a destructor throws nothing, whatever CUDA says") {
  {
    const CudaArray<float> array(Cuda{}, 1);
    fake::fail_next("cudaFree", cudaErrorCudartUnloading);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
  {
    const CudaArray<float> array(Cuda{}, 1);
    fake::break_context(cudaErrorIllegalAddress);
    check_refused([] { CudaArray<float>(Cuda{}, 1); }, {"cudaErrorIllegalAddress", "host memory"});
  }
}

// ---------------------------------------------------------------- the fake itself

TEST_CASE_FIXTURE(Fake, "fake: fresh device memory is NaN, and only kernels and copies may touch it") {
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 8) == cudaSuccess);
  float values[2] = {};
  CHECK(cudaMemcpy(values, memory, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::isnan(values[0]));
  CHECK(std::isnan(values[1]));
#if defined(SINTER_TEST_ADDRESSES)
  CHECK(__asan_address_is_poisoned(memory));
  static bool hidden_from_kernel = true;
  const fake::HostKernel look{sizeof(void*), [](const void* argument, unsigned, unsigned, std::size_t) {
                                hidden_from_kernel = __asan_address_is_poisoned(*static_cast<void* const*>(argument));
                              }};
  CHECK(launch(look, memory, 1, 1) == cudaSuccess);
  CHECK(!hidden_from_kernel);
#endif
  CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE_FIXTURE(Fake, "fake: copies outside of an allocation, or the wrong way, are refused") {
  void *a = nullptr, *b = nullptr;
  REQUIRE(cudaMalloc(&a, 8) == cudaSuccess);
  REQUIRE(cudaMalloc(&b, 8) == cudaSuccess);
  char host[16] = {};
  char* const inside = static_cast<char*>(a) + 4;
  CHECK(cudaMemcpy(a, host, 8, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(a, host, 9, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(inside, host, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(inside, host, 5, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(a, b, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(a, host, 8, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(a, b, 8, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(host, a, 8, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(host, host + 8, 8, cudaMemcpyHostToHost) == cudaSuccess);
  CHECK(cudaMemcpy(host, a, 8, cudaMemcpyHostToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, a, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemset(a, 1, 8) == cudaSuccess);
  CHECK(cudaMemset(a, 1, 9) == cudaErrorInvalidValue);
  CHECK(cudaMemset(host, 1, 8) == cudaErrorInvalidValue);
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(cudaMemcpy(host, a, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(fake::counters().memsets == 1);
  CHECK(fake::counters().copies == 6);
  CHECK(cudaFree(b) == cudaSuccess);
}

TEST_CASE("fake: freed twice, written beside, never freed") {
  fake::reset();
  void *a = nullptr, *host = nullptr;
  REQUIRE(cudaMalloc(&a, 12) == cudaSuccess);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFree(static_cast<char*>(a) + 1) == cudaErrorInvalidValue);
#if !defined(SINTER_TEST_ADDRESSES)  // it would stop there
  static_cast<char*>(a)[12] = 1;
  CHECK(fake::counters().overruns == 1);
#endif
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(cudaFree(a) == cudaErrorInvalidValue);
  REQUIRE(cudaMallocHost(&host, 16) == cudaSuccess);
  CHECK(cudaFreeHost(static_cast<void*>(&a)) == cudaErrorInvalidValue);
  CHECK(fake::counters().live_host_allocations == 1);
  CHECK(cudaFreeHost(host) == cudaSuccess);
  REQUIRE(cudaHostAlloc(&host, 16, 0) == cudaSuccess);
  REQUIRE(cudaMalloc(&a, 0) == cudaSuccess);
  CHECK(a == nullptr);
  REQUIRE(cudaMalloc(&a, 100) == cudaSuccess);

  const fake::Counters counters = fake::counters();
  CHECK(counters.bad_frees == 3);
#if !defined(SINTER_TEST_ADDRESSES)
  CHECK(counters.overruns == 1);
#endif
  CHECK(counters.mallocs == 2);
  CHECK(counters.frees == 1);
  CHECK(counters.host_mallocs == 2);
  CHECK(counters.host_frees == 1);
  CHECK(counters.live_bytes == 100);
  CHECK(counters.live_allocations == 1);
  CHECK(counters.live_host_allocations == 1);
  fake::reset();
  CHECK(fake::counters().live_bytes == 0);
  CHECK(fake::counters().mallocs == 0);
}

TEST_CASE_FIXTURE(Fake, "fake: a kernel runs when it is launched, with a copy of its argument") {
  CudaArray<float> to(Cuda{}, 4), from(Cuda{}, 4);
  const float values[] = {1, 2, 3, 4};
  from.upload(values, 4);
  CHECK(launch(add_kernel, AddArgument{to.data(), from.data(), 4}, 2, 2) == cudaSuccess);
  CHECK(values_of(to) == std::vector<float>{1, 2, 3, 4});

  AddArgument argument{to.data(), from.data(), 4};
  void* arguments[] = {&argument};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 1;
  configuration.blockDim = 3;
  CHECK(cudaLaunchKernelExC(&configuration, &add_kernel, arguments) == cudaSuccess);
  CHECK(values_of(to) == std::vector<float>{2, 4, 6, 4});
  CHECK(fake::counters().launches == 2);
}

TEST_CASE_FIXTURE(Fake, "fake: limits of a launch") {
  CHECK(launch_nothing(1, 1024) == cudaSuccess);
  CHECK(launch_nothing(0x7fffffff, 1) == cudaSuccess);
  for (const auto& [blocks, threads] : std::initializer_list<std::pair<dim3, dim3>>{
           {0, 1}, {1, 0}, {1, 1025}, {0x80000000, 1}, {{1, 65536}, 1}, {1, {1, 1, 65}}, {1, {32, 33}}})
    CHECK(launch_nothing(blocks, threads) == cudaErrorInvalidConfiguration);
  CHECK(launch_nothing({2, 2}, 1) == cudaErrorNotSupported);
  CHECK(cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(launch(add_kernel, AddArgument{}, 1, 1, 0, reinterpret_cast<cudaStream_t>(&fake::reset)) ==
        cudaErrorInvalidResourceHandle);
  CHECK(fake::counters().launches == 2);
}

TEST_CASE_FIXTURE(Fake, "fake: more than 48 KB of shared memory must be opted in to, on each device") {
  fake::set_devices({{}, {}});
  constexpr auto opt_in = cudaFuncAttributeMaxDynamicSharedMemorySize;
  CHECK(launch_nothing(1, 1, 48 * 1024) == cudaSuccess);
  CHECK(launch_nothing(1, 1, 48 * 1024 + 1) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(&add_kernel, opt_in, 227 * 1024 + 1) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(&add_kernel, opt_in, -1) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(nullptr, opt_in, 1) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaFuncSetAttribute(&add_kernel, opt_in, 100 * 1024) == cudaSuccess);
  CHECK(launch_nothing(1, 1, 100 * 1024) == cudaSuccess);
  CHECK(launch_nothing(1, 1, 100 * 1024 + 1) == cudaErrorInvalidValue);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK(launch_nothing(1, 1, 100 * 1024) == cudaErrorInvalidValue);

  int blocks = 0;
  const auto fit = [&](int threads, std::size_t shared_memory) {
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add_kernel, threads, shared_memory) == cudaSuccess);
    return blocks;
  };
  CHECK(fit(1, 0) == 32);
  CHECK(fit(1024, 0) == 2);
  CHECK(fit(33, 0) == 32);
  CHECK(fit(100, 0) == 16);
  CHECK(fit(128, 100 * 1024) == 2);
  CHECK(fit(128, 227 * 1024) == 1);
  CHECK(fit(128, 228 * 1024) == 0);
  CHECK(fit(1025, 0) == 0);

  fake::reset();  // it stays for the process
  CHECK(launch_nothing(1, 1, 100 * 1024) == cudaSuccess);
  CHECK(cudaFuncSetAttribute(&add_kernel, opt_in, 48 * 1024) == cudaSuccess);
}

TEST_CASE_FIXTURE(Fake, "fake: what a kernel was compiled for is what the test says") {
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, &add_kernel) == cudaSuccess);
  CHECK(attributes.binaryVersion == 90);
  CHECK(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
  fake::set_kernel_versions(75, 86);
  CHECK(cudaFuncGetAttributes(&attributes, &add_kernel) == cudaSuccess);
  CHECK(attributes.ptxVersion == 75);
  CHECK(attributes.binaryVersion == 86);
  CHECK(cudaFuncGetAttributes(&attributes, nullptr) == cudaErrorInvalidDeviceFunction);

  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == 132);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess);
  CHECK(value == 227 * 1024);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrEccEnabled, 0) == cudaErrorNotSupported);
  CHECK(cudaRuntimeGetVersion(&value) == cudaSuccess);
  CHECK(value == CUDART_VERSION);
}

TEST_CASE_FIXTURE(Fake, "fake: a capture records, its graph runs as often as it is launched") {
  const Cuda cuda{.stream = new_stream()};
  CudaArray<float> to(cuda, 2), from(cuda, 2);
  const float values[] = {1, 2};
  from.upload(values, 2);
  const long copies = fake::counters().copies, memsets = fake::counters().memsets;

  REQUIRE(cudaStreamBeginCapture(cuda.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaStreamCaptureStatus status{};
  CHECK(cudaStreamIsCapturing(cuda.stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
  CHECK(cudaMemsetAsync(to.data(), 0, 8, cuda.stream) == cudaSuccess);
  {
    AddArgument argument{to.data(), from.data(), 2};
    for (int i = 0; i < 3; ++i) CHECK(launch(add_kernel, argument, 1, 2, 0, cuda.stream) == cudaSuccess);
    argument = {};
  }
  CHECK(cudaMemcpyAsync(from.data(), to.data(), 8, cudaMemcpyDeviceToDevice, cuda.stream) == cudaSuccess);
  CHECK(cudaMemcpyAsync(from.data(), to.data(), 9, cudaMemcpyDeviceToDevice, cuda.stream) == cudaErrorInvalidValue);
  CHECK(launch(add_kernel, AddArgument{}, 1, 2, 49 * 1024, cuda.stream) == cudaErrorInvalidValue);
  CHECK(launch(add_kernel, AddArgument{}, 1, 2) == cudaSuccess);  // another stream
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(cuda.stream, &graph) == cudaSuccess);
  CHECK(fake::counters().launches == 1);
  CHECK(fake::counters().copies == copies);
  CHECK(fake::counters().memsets == memsets);
  CHECK(values_of(from) == std::vector<float>{1, 2});

  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, cuda.stream) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(values_of(from) == std::vector<float>{9, 18});
  CHECK(fake::counters().launches == 1);
  CHECK(fake::counters().graph_launches == 2);
  CHECK(fake::counters().graph_kernels == 6);
  CHECK(fake::counters().memsets == memsets + 2);

  CHECK(fake::counters().live_graphs == 1);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(executable) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGraphLaunch(executable, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaStreamDestroy(cuda.stream) == cudaSuccess);
  CHECK(fake::counters().live_graphs == 0);
  CHECK(fake::counters().live_streams == 0);
}

TEST_CASE_FIXTURE(Fake, "fake: a graph whose memory was freed fails") {
  const cudaStream_t stream = new_stream();
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 8) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(memory, 0, 8, stream) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaFree(memory) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, stream) == cudaErrorInvalidValue);
}

TEST_CASE_FIXTURE(Fake, "fake: what a capture forbids ends it") {
  const cudaStream_t stream = new_stream();
  void *memory = nullptr, *other = nullptr;
  REQUIRE(cudaMalloc(&memory, 8) == cudaSuccess);
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, cudaEventDefault) == cudaSuccess);
  char host[8] = {};
  cudaGraph_t graph = nullptr;

  const auto forbidden = [&](auto action) {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(action() == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaMemsetAsync(memory, 0, 8, stream) == cudaErrorStreamCaptureInvalidated);
    cudaStreamCaptureStatus status{};
    CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusInvalidated);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
  };
  forbidden([&] { return cudaMalloc(&other, 8); });
  forbidden([&] { return cudaFree(memory); });
  forbidden([&] { return cudaMallocHost(&other, 8); });
  forbidden([&] { return cudaMemcpy(host, memory, 8, cudaMemcpyDeviceToHost); });
  forbidden([&] { return cudaMemset(memory, 0, 8); });
  forbidden([&] { return cudaStreamSynchronize(stream); });
  forbidden([&] { return cudaStreamSynchronize(nullptr); });
  forbidden([&] { return cudaDeviceSynchronize(); });
  forbidden([&] { return cudaEventSynchronize(event); });
  CHECK(fake::counters().synchronisations == 0);

  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  std::thread([&] { CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureWrongThread); }).join();
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);

  SUBCASE("a relaxed capture forbids only to wait for itself") {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    CHECK(cudaMalloc(&other, 8) == cudaSuccess);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  }
  SUBCASE("a capture of a thread forbids nothing to others") {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    std::thread([&] { CHECK(cudaMalloc(&other, 8) == cudaSuccess); }).join();
    CHECK(cudaMalloc(&other, 8) == cudaErrorStreamCaptureUnsupported);
  }
  SUBCASE("the default stream, while a stream that waits for it is captured") {
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    CHECK(cudaMemsetAsync(memory, 0, 8, nullptr) == cudaErrorStreamCaptureImplicit);
    CHECK(cudaStreamEndCapture(blocking, &graph) == cudaErrorStreamCaptureInvalidated);
  }
}

TEST_CASE_FIXTURE(Fake, "fake: a kernel needs a stream of the current device") {
  fake::set_devices({{}, {}});
  const cudaStream_t stream = new_stream();
  CHECK(launch(add_kernel, AddArgument{}, 1, 1, 0, stream) == cudaSuccess);
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  CHECK(launch(add_kernel, AddArgument{}, 1, 1, 0, stream) == cudaErrorInvalidResourceHandle);
}

TEST_CASE_FIXTURE(Fake, "fake: memory is written by streams of its device, and freed there") {
  fake::set_devices({{}, {}});
  void *here = nullptr, *there = nullptr;
  const cudaStream_t stream = new_stream();
  REQUIRE(cudaMalloc(&here, 8) == cudaSuccess);
  {
    const CurrentCudaDevice current(1);
    REQUIRE(cudaMalloc(&there, 8) == cudaSuccess);
  }
  char host[8] = {};
  for (cudaStream_t of_device_0 : {cudaStream_t{}, stream}) {
    CHECK(cudaMemsetAsync(there, 0, 8, of_device_0) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpyAsync(host, there, 8, cudaMemcpyDeviceToHost, of_device_0) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpyAsync(here, there, 8, cudaMemcpyDeviceToDevice, of_device_0) == cudaSuccess);
  }
  const CurrentCudaDevice current(1);
  CHECK(cudaMemsetAsync(there, 0, 8, nullptr) == cudaSuccess);
  CHECK(cudaMemsetAsync(here, 0, 8, stream) == cudaSuccess);
  CHECK(cudaFree(there) == cudaSuccess);
}

TEST_CASE_FIXTURE(Fake, "fake: events") {
  cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&start, cudaEventDefault) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&end, cudaEventDefault) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventRecord(start, nullptr) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventRecord(end, new_stream()) == cudaSuccess);
  CHECK(cudaEventRecord(untimed, nullptr) == cudaSuccess);
  CHECK(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(fake::counters().live_events == 3);
  for (cudaEvent_t event : {start, end, untimed}) CHECK(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaEventRecord(start, nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(fake::counters().synchronisations == 2);
}

TEST_CASE_FIXTURE(Fake, "fake: requested errors occur once, after a number of calls") {
  fake::fail_next("cudaMalloc", cudaErrorMemoryAllocation, 2);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 1) == cudaSuccess);
  CHECK(cudaMalloc(&memory, 1) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudaMalloc(&memory, 1) == cudaErrorMemoryAllocation);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaMalloc(&memory, 1) == cudaSuccess);
  CHECK(fake::calls("cudaMalloc") == 4);
  std::thread([] { CHECK(cudaGetLastError() == cudaSuccess); }).join();
}

TEST_CASE_FIXTURE(Fake, "fake: a kernel that goes wrong is found by the next call, and by every later one") {
  const fake::HostKernel bad{
      0, [](const void*, unsigned, unsigned, std::size_t) { fake::break_context(cudaErrorIllegalAddress); }};
  CHECK(cudaLaunchKernel(&bad, 1, 1, nullptr, 0, nullptr) == cudaSuccess);
  CHECK(cudaStreamSynchronize(nullptr) == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 1) == cudaErrorIllegalAddress);
  int version = 0;
  CHECK(cudaDriverGetVersion(&version) == cudaSuccess);
  CHECK(version == CUDART_VERSION);
  fake::reset();
  CHECK(cudaMalloc(&memory, 1) == cudaSuccess);

  fake::fail_next("cudaStreamSynchronize", cudaErrorLaunchFailure);
  CHECK(cudaStreamSynchronize(nullptr) == cudaErrorLaunchFailure);
  CHECK(cudaFree(memory) == cudaErrorLaunchFailure);
}

TEST_CASE_FIXTURE(Fake, "fake: no driver, an old one, one of another minor version, no device") {
  int count = -1;
  fake::set_driver_version(0);
  CHECK(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
  CHECK(cudaGetDevice(&count) == cudaErrorInsufficientDriver);
  CHECK(count == -1);
  fake::set_driver_version(CUDART_VERSION - 1000);
  CHECK(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
  fake::set_driver_version(CUDART_VERSION / 1000 * 1000);
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 1);
  fake::set_devices({});
  CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
}

TEST_CASE_FIXTURE(Fake, "fake: threads share it") {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 50; ++round) {
        CudaArray<float> to(Cuda{}, 64), from(Cuda{}, 64);
        const std::vector<float> ones(64, 1.0f);
        from.upload(ones.data(), 64);
        CHECK(launch(add_kernel, AddArgument{to.data(), from.data(), 64}, 1, 64) == cudaSuccess);
        CHECK(values_of(to) == ones);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(fake::counters().launches == 200);
  CHECK(fake::counters().live_bytes == 0);
}
