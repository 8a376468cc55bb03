// SPDX-License-Identifier: MIT
// A network learns the distance to a torus, and a ray marcher calls it as a function, many times for each pixel: on the
// host, and by nvcc in a kernel of the program's own. A pixel's light needs the gradient with respect to the position.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <sinter/function.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/arguments.hpp"
#include "support/devices.hpp"

using namespace sinter;

struct Distance : Sequential<Input<3>, Linear<32>, SiLU, Linear<32>, SiLU, Linear<1>> {};
constexpr int picture_width = 72, picture_height = 36;

float to_torus(float x, float y, float z) { return std::hypot(std::hypot(x, y) - 0.7f, z) - 0.3f; }

// [march]
/// The light of pixel (u, v), from 0 to 1, or -1 where its ray meets nothing. `distance` is how far the surface is.
template <class Function>
SINTER_HOST_DEVICE float light_of(const Function& distance, float u, float v) {
  FixedTensor<float, Shape<3>> p{u, v, -1};
  for (int step = 0; step < 40 && p[2] < 1; ++step) {
    const float d = distance(p);
    if (d < 0.01f) {
      const auto normal = distance.gradient(p);  // of length 1, nearly
      const float light = -0.4f * normal[0] - 0.5f * normal[1] - 0.75f * normal[2];
      return light < 0 ? 0.0f : light < 1 ? light : 1.0f;
    }
    p[2] += d;
  }
  return -1;
}
/// The middle of pixel i of n, from -1.2 to 1.2.
SINTER_HOST_DEVICE inline float place_of(int i, int n) {
  return 2.4f * (static_cast<float>(i) + 0.5f) / static_cast<float>(n) - 1.2f;
}
template <class Function>
SINTER_HOST_DEVICE float pixel_of(const Function& distance, int pixel) {
  return light_of(distance, place_of(pixel % picture_width, picture_width),
                  place_of(pixel / picture_width, picture_height));
}

#if defined(__CUDACC__)
template <class Function>
__global__ void render(Function distance, float* pixels) {
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pixel < picture_width * picture_height) pixels[pixel] = pixel_of(distance, pixel);
}
#endif

template <class Device>
std::vector<float> picture_of(const Network<Distance, Device>& net) {
  std::vector<float> pixels(picture_width * picture_height);
#if defined(__CUDACC__)
  if constexpr (std::is_same_v<Device, Cuda>) {
    CudaArray<float> there(net.device(), pixels.size());
    render<<<(picture_width * picture_height + 127) / 128, 128, 0, net.device().stream>>>(net.device_function(),
                                                                                          there.data());
    cuda_check(cudaGetLastError(), "launching the ray marcher");
    there.download(pixels.data(), pixels.size());
    return pixels;
  } else
#endif
  {
    const auto distance = net.function();
    for (int pixel = 0; pixel < picture_width * picture_height; ++pixel)
      pixels[static_cast<std::size_t>(pixel)] = pixel_of(distance, pixel);
    return pixels;
  }
}
// [/march]

Network<Distance> trained(int epochs) {
  constexpr std::size_t points = 4000;
  Tensor<float, Shape<3>> x(points);
  Tensor<float, Shape<1>> y(points);
  std::mt19937 random(1);
  const auto coordinate = [&] { return static_cast<float>(random() >> 8) * (2.4f / (1 << 24)) - 1.2f; };
  for (std::size_t i = 0; i < points; ++i) {
    float* p = x.data() + 3 * i;
    for (int k = 0; k < 3; ++k) p[k] = coordinate();
    y.data()[i] = to_torus(p[0], p[1], p[2]);
  }
  Network<Distance> net{{.seed = 1}};
  fit(net, dataset(x, y), MSELoss{}, Adam{.lr = 0.005}, {.batch_size = 50, .epochs = epochs});
  return net;
}

template <class Device>
DeviceRun draw(const Network<Distance>& net, const Device& device) {
  Network<Distance, Device> there{device};
  there = net;
  const auto begin = std::chrono::steady_clock::now();
  const auto pixels = picture_of(there);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  int right = 0;
  for (int pixel = 0; pixel < picture_width * picture_height; ++pixel) {
    const float light = pixels[static_cast<std::size_t>(pixel)];
    const float u = place_of(pixel % picture_width, picture_width), v = place_of(pixel / picture_width, picture_height);
    right += (to_torus(u, v, 0) < 0) == (light >= 0);
    std::putchar(light < 0 ? ' ' : ".:-=+*#%@"[static_cast<int>(light * 8.99f)]);
    if (pixel % picture_width == picture_width - 1) std::putchar('\n');
  }
  const double percent = 100.0 * right / (picture_width * picture_height);
  std::printf("%s: %.1f %% of the pixels as those of a torus\n", Device::name, percent);
  return {seconds, percent > 90};
}

int main(int count, char** values) try {
  Arguments arguments(count, values);
  const std::string device = arguments.get("--device", "host", device_choices);
  const int epochs = arguments.get("--epochs", 200, 1, "of training");
  arguments.finish();
  check_device(arguments, device);
  const auto net = trained(epochs);
  return on_devices(device, 1, [&](const auto& on) { return draw(net, on); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
