// SPDX-License-Identifier: MIT
// Which devices there are, and whether they work: e^x of 230,400 numbers, 1,000 times, on each.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <type_traits>

#include "support/arguments.hpp"
#include "support/devices.hpp"

using namespace sinter;

// [functor]
struct Exp {
  static constexpr const char* name = "Exp";
  static constexpr bool backward_reads_output = true;
  template <class V>
  SINTER_FN static V forward(V x) {
    return fn::exp(x);
  }
  template <class V>
  SINTER_FN static V backward(V y, V dy) {
    return y * dy;
  }
};
struct Mapped : Sequential<Input<64>, Activation<Exp>> {};  // e^x of every number of a row of 64
// [/functor]

constexpr std::size_t rows = 3600;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Device>
DeviceRun check(const Device& device, int times) {
  Tensor<float, Shape<64>> x(rows);
  for (std::size_t i = 0; i < rows * 64; ++i) x.data()[i] = static_cast<float>(i % 1000) / 1000;
  const Network<Mapped, Device> net{device};
  auto workspace = net.workspace(rows);
  double seconds = 0, sum = 0;
  const auto add = [&sum](const float* y) {
    for (std::size_t i = 0; i < rows * 64; ++i) sum += static_cast<double>(y[i]);
  };
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Device, Cuda>) {
    CudaArray<float> there(device, rows * 64);  // x and y stay on the GPU
    there.upload(x.data(), there.size());
    const TensorView<const float, Shape<64>, CudaMemory> view{there.data(), rows};
    std::vector<float> y(rows * 64);
    const auto fetch = [&](const float* from) {
      const cudaError_t code = cudaMemcpy(y.data(), from, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
      cuda_check(code, "fetching the result");
    };
    fetch(net.forward(view, workspace).data);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) net.forward(view, workspace);
    fetch(net.forward(view, workspace).data);
    seconds = seconds_since(begin);
    add(y.data());
  } else
#endif
  {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) net.forward(x, workspace);
    seconds = seconds_since(begin);
    add(net.forward(x, workspace).data);
  }
  const double want = 395498.83;  // the same sum in double
  const bool right = sum > want * 0.99999 && sum < want * 1.00001;
  std::printf("%-10s e^x of 230,400 numbers, %d times: %.4f s, sum %.1f, %s\n", Device::name, times, seconds, sum,
              right ? "right" : "WRONG");
  return {seconds, right};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string device = arguments.get("--device", "all", device_choices);
  const int threads = arguments.get("--threads", 1, 1, "threads of the host");
  const int times = arguments.get("--times", 1000, 1, "how often");
  arguments.finish();
  check_device(arguments, device);
#if defined(__CUDACC__)
  for (const CudaDevice& one : cuda_devices())
    std::printf("cuda %d: %s, compute capability %d.%d, %.1f GiB, %d multiprocessors\n", one.index, one.name.c_str(),
                one.major, one.minor, static_cast<double>(one.memory_bytes) / (1 << 30), one.multiprocessors);
#endif
  return on_devices(device, threads, [&](const auto& on) { return check(on, times); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
