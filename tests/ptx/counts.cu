// SPDX-License-Identifier: MIT
// What warps execute in a training step of the workloads, and in an answer, by kernel, phase and kind of instruction:
// what models of time are made from. A phase begins after the barrier in that line of the PTX.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "support/ptx/gpu.hpp"
#include "workloads.hpp"

namespace {
using namespace workload;

int wrong = 0;

template <class Model, class Element, class Loss>
void count(sinter_test::ptx::Gpu& gpu, const char* name, std::size_t batch, const Loss& loss, const SGD& optimizer) {
  const Data<Model, Element> data(batch);
  const auto set = data.set();
  Network<Model, Cuda> net{{.seed = 1}};
  const auto print = [&](const char* what) {
    const std::string text = table(gpu.counts(), true);
    std::printf("== %s, batch %zu, %s\n%s\n", name, batch, what, text.c_str());
    wrong += gpu.counts().empty();
    gpu.forget_counts();
  };
  gpu.forget_counts();
  fit(net, set, loss, optimizer, {.batch_size = batch, .shuffle = false});
  print("a step");
  predict(net, set);
  print("an answer");
}
}  // namespace

int main() {
  sinter_test::ptx::Gpu gpu;
  try {
    count<W2n4, float>(gpu, "W2n4", 100, CrossEntropyLoss{}, {.lr = 0.1});
    count<W2n6, float>(gpu, "W2n6", 100, CrossEntropyLoss{}, {.lr = 0.1});
    count<W4, float>(gpu, "W4", 32, CrossEntropyLoss{}, {.lr = 0.01});
    count<W1, std::uint8_t>(gpu, "W1", 200, NLLLoss{}, {.lr = 0.01, .momentum = 0.5});
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    ++wrong;
  }
  for (const std::string& fault : gpu.faults()) std::printf("refused: %s\n", fault.c_str());
  return wrong == 0 && gpu.faults().empty() ? 0 : 1;
}
