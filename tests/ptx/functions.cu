// SPDX-License-Identifier: MIT
// Networks as functions in kernels of a user's: the compiled PTX, run thread by thread, has the bits of the host's.
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/ptx/gpu.hpp"

namespace {
using namespace sinter;

/// All of its numbers are in registers.
struct Tiny : Sequential<Input<3>, Linear<7>, ReLU, Linear<6>, Tanh, Linear<2>> {};
/// In the local memory of a thread.
struct Distance : Sequential<Input<3>, Linear<32>, SiLU, Linear<32>, SiLU, Linear<1>> {};
struct Classes : Sequential<Input<5>, Linear<12>, GELU, LayerNorm<>, Dropout<0.5>, Linear<4>, LogSoftmax> {};
struct Images : Sequential<Input<1, 6, 6>, Conv2d<3, 3>, ReLU, MaxPool2d<2>, Flatten, Linear<2>> {};

int wrong = 0;

template <class F>
__global__ void evaluate(F f, const typename F::Input* x, typename F::Output* y, typename F::Input* dx, int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  y[row] = f(x[row]);
  dx[row] = f.gradient(x[row], y[row]);
}

template <class Model>
void check(const char* name, bool local) {
  const Network<Model, Cuda> net{{.seed = 3}};
  const Network<Model> on_host = net;
  const auto f = net.device_function({0.5f, 0.25f});
  const auto same = on_host.function({0.5f, 0.25f});
  using F = std::remove_const_t<decltype(f)>;
  constexpr int rows = 77;  // a ragged warp
  std::vector<typename F::Input> x(rows), dx(rows);
  std::vector<typename F::Output> y(rows);
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < F::input_size; ++i)
      x[static_cast<std::size_t>(r)][i] = static_cast<float>((r * 37 + i * 11) % 64 - 32) / 16;
  CudaArray<typename F::Input> there(net.device(), rows), slopes(net.device(), rows);
  CudaArray<typename F::Output> answers(net.device(), rows);
  there.upload(x.data(), rows);
  evaluate<<<2, 64, 0, net.device().stream>>>(f, there.data(), answers.data(), slopes.data(), rows);
  internal::cuda_check(cudaGetLastError(), "launching a kernel");
  answers.download(y.data(), rows);
  slopes.download(dx.data(), rows);
  int differ = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto expected = same(x[r]);
    const auto slope = same.gradient(x[r], expected);
    differ += std::memcmp(&expected, &y[r], sizeof expected) != 0 || std::memcmp(&slope, &dx[r], sizeof slope) != 0;
  }
  wrong += differ != 0;
  std::printf("%-8s %d of %d rows differ from the host, %zu bytes for a call, %s  %s\n", name, differ, rows,
              F::forward_bytes, local ? "in local memory" : "in registers", differ == 0 ? "ok" : "WRONG");
}
}  // namespace

int main() {
  sinter_test::ptx::Gpu gpu;
  try {
    check<Tiny>("Tiny", false);
    for (const auto& [kernel, counts] : gpu.counts())
      for (const auto& [line, phase] : counts.phases) {
        const auto local = phase.warps[static_cast<std::size_t>(sinter_test::ptx::Kind::local)];
        if (kernel.find("evaluate") == std::string::npos || local == 0) continue;
        std::printf("%zu accesses of local memory in %s  WRONG\n", static_cast<std::size_t>(local), kernel.c_str());
        ++wrong;
      }
    check<Distance>("Distance", true);
    check<Classes>("Classes", true);
    check<Images>("Images", true);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    ++wrong;
  }
  for (const std::string& fault : gpu.faults()) std::printf("refused: %s\n", fault.c_str());
  return wrong == 0 && gpu.faults().empty() ? 0 : 1;
}
