// SPDX-License-Identifier: MIT
// Data made and evaluated by Thrust in the memory of a GPU, and a network trained on it in place. Needs nvcc.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <sinter/sinter.cuh>
#include <sinter/thrust.cuh>

#include "support/arguments.hpp"

using namespace sinter;

struct Disc : Sequential<Input<2>, Linear<16>, ReLU, Linear<16>, ReLU, Linear<2>> {};
constexpr std::size_t points = 4000;

/// The i-th coordinate, in [0, 1).
struct Coordinate {
  __host__ __device__ float operator()(std::size_t i) const {
    thrust::default_random_engine engine(1);
    engine.discard(i);
    return thrust::uniform_real_distribution<float>()(engine);
  }
};
/// Whether a point is in the disc: that of half the area.
struct InDisc {
  const float* x;
  __host__ __device__ int operator()(std::size_t i) const {
    return x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] < 0.6366197f;
  }
};
struct Square {
  float mean;
  __host__ __device__ float operator()(float v) const { return (v - mean) * (v - mean); }
};

// [thrust]
double train() {
  cudaStream_t stream;  // your own: sinter puts its work there, in order with Thrust's
  cuda_check(cudaStreamCreate(&stream), "making a stream");
  const auto on_stream = thrust::cuda::par.on(stream);

  thrust::device_vector<float> x(2 * points);
  thrust::device_vector<int> labels(points);
  thrust::tabulate(on_stream, x.begin(), x.end(), Coordinate{});
  thrust::tabulate(on_stream, labels.begin(), labels.end(), InDisc{thrust::raw_pointer_cast(x.data())});
  const float mean = thrust::reduce(on_stream, x.begin(), x.end()) / (2 * points);
  const float variance =
      thrust::transform_reduce(on_stream, x.begin(), x.end(), Square{mean}, 0.0f, thrust::plus<float>{}) / (2 * points);

  // The network reads the vectors in place.
  const auto rows = device_rows<Shape<2>>(x);
  const Normalize standard = Normalize::values(mean, std::sqrt(variance));
  Network<Disc, Cuda> net{Cuda{.stream = stream}, {.seed = 1}};
  fit(net, dataset(rows, labels, standard), CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9},
      {.batch_size = 100, .epochs = 30});

  // The outputs stay there, too, and are counted there.
  auto workspace = net.workspace(points);
  const auto y = net.forward(rows, workspace, standard);
  const ConfusionMatrix answers = confusion_matrix(y, labels, net.device());
  std::printf("%s", answers.text({"outside", "inside"}).c_str());
  return answers.accuracy();
}
// [/thrust]

int main(int count, char** values) try {
  Arguments(count, values).finish();
  if (cuda_devices().empty()) {
    std::printf("skipped: %s\n", why_no_cuda().c_str());
    return 77;
  }
  const double accuracy = train();
  std::printf("accuracy %.1f %%\n", 100 * accuracy);
  return accuracy > 0.95 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
