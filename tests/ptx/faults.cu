// SPDX-License-Identifier: MIT
// Faults planted in the PTX of kernels that train: each must be refused, or change the weights.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sinter/sinter.cuh"
#include "support/ptx/gpu.hpp"

namespace {
using namespace sinter::internal;
using sinter_test::ptx::Gpu;

struct Net : Sequential<Input<1, 9, 8>, Conv2d<5, 3>, MaxPool2d<Kernel<1, 2>>, Sigmoid, Flatten, Linear<40>, Tanh,
                        Dropout<0.5>, Linear<4>, LogSoftmax> {};

struct Outcome {
  std::string refused;  // why
  std::vector<float> weights;
  std::map<std::string, sinter_test::ptx::KernelCounts> counts;
};

/// Three steps of 8 rows, with the PTX as `edit` leaves it.
template <CudaPlan Plan>
Outcome train(const std::function<void(std::string&)>& edit, unsigned seed) {
  Outcome outcome;
  sinter_test::fake_cuda::reset();
  Gpu gpu(seed);
  gpu.edit(edit);
  try {
    Tensor<float, Net::InputRow> x(24);
    std::vector<int> labels(24);
    unsigned random = 1;
    for (float& value : x.values()) {
      random = random * 1664525u + 1013904223u;
      value = static_cast<float>(random >> 8) * 0x1p-23f - 1;
    }
    for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = static_cast<int>(k * 7 % 4);
    Network<Net, CudaWith<Plan>> net{{.seed = 3}};
    fit(net, dataset(x, labels), NLLLoss{}, Adam{.lr = 0.01}, {.batch_size = 8});
    const auto weights = net.to_host();
    outcome.weights.assign(weights.data(), weights.data() + weights.size());
  } catch (const std::exception& error) {
    outcome.refused = error.what();
  }
  if (!gpu.faults().empty()) outcome.refused = gpu.faults().front();
  outcome.counts = gpu.counts();
  return outcome;
}

/// Where the lines with `what` begin in the text of the kernel whose name has `kernel` in it, if warps have been there.
std::vector<std::size_t> places(const std::string& ptx, const Outcome& run, const std::string& kernel,
                                const std::string& what) {
  std::vector<std::size_t> found;
  for (const auto& [name, counts] : run.counts) {
    if (name.find(kernel) == std::string::npos) continue;
    std::size_t at = ptx.find(".entry " + name);
    auto line = static_cast<std::size_t>(1 + std::count(ptx.begin(), ptx.begin() + static_cast<long>(at), '\n'));
    at = ptx.rfind('\n', at) + 1;
    for (; line < counts.lines.size(); ++line) {
      const std::size_t end = ptx.find('\n', at);
      if (counts.lines[line] > 0 && ptx.find(what, at) < end) found.push_back(at);
      at = end + 1;
    }
  }
  return found;
}

using Change = std::string (*)(const std::string& line);
std::string deleted(const std::string&) { return ""; }
std::string replaced(std::string line, const std::string& from, const std::string& to) {
  return line.replace(line.find(from), from.size(), to);
}
/// 4 bytes further: [%r1+164] for [%r1+160].
std::string moved(const std::string& line) {
  const std::size_t at = line.find('+') + 1;
  return line.substr(0, at) + std::to_string(std::stol(line.substr(at)) + 4) + line.substr(line.find(']'));
}

int wrong = 0;

struct Planted {
  const char *kernel, *what, *how;
  Change change;
  std::size_t most;      // places
  double noticed;        // at least this part of them
  const char* expected;  // in what some of them are refused with
};

/// Plants a fault at places of `what`, one at a time.
void plant(const Planted& fault, Outcome (*run)(const std::function<void(std::string&)>&, unsigned)) {
  std::string ptx;
  const Outcome good = run([&](std::string& text) { ptx = text; }, 1);
  const auto all = places(ptx, good, fault.kernel, fault.what);
  const std::size_t step = std::max<std::size_t>(1, all.size() / fault.most);
  std::size_t tried = 0, refused = 0, changed = 0;
  std::string example;
  for (std::size_t k = step / 2; k < all.size(); k += step) {
    const std::string line = ptx.substr(all[k], ptx.find('\n', all[k]) - all[k]);
    const Outcome bad = run(
        [&](std::string& text) {
          text = text.substr(0, all[k]) + fault.change(line) + text.substr(all[k] + line.size());
        },
        static_cast<unsigned>(k));
    ++tried;
    const bool other = bad.refused.empty() &&
                       std::memcmp(bad.weights.data(), good.weights.data(), good.weights.size() * sizeof(float)) != 0;
    refused += !bad.refused.empty();
    changed += other;
    if (bad.refused.find(fault.expected) != std::string::npos && example.empty()) example = bad.refused;
    if (bad.refused.empty() && !other) std::printf("  not noticed: %s, character %zu\n", line.c_str(), all[k]);
  }
  const bool right = good.refused.empty() && tried > 0 && (*fault.expected == 0 || !example.empty()) &&
                     static_cast<double>(refused + changed) >= fault.noticed * static_cast<double>(tried);
  wrong += !right;
  std::printf("%s: `%s` %s: %zu of %zu places; %zu refused, %zu changed what was computed  %s\n", fault.kernel,
              fault.what, fault.how, tried, all.size(), refused, changed, right ? "ok" : "WRONG");
  if (!good.refused.empty()) std::printf("  refused without a fault: %s\n", good.refused.c_str());
  if (!example.empty()) std::printf("  %s\n", example.c_str());
}

__global__ void product_and_sum(const float* a, float* to) {
  to[threadIdx.x] = __fadd_rn(__fmul_rn(a[threadIdx.x], a[threadIdx.x]), -1.0f);
}
/// A product and a sum that are rounded apart.
Outcome add_products(const std::function<void(std::string&)>& edit, unsigned seed) {
  Outcome outcome;
  sinter_test::fake_cuda::reset();
  Gpu gpu(seed);
  gpu.edit(edit);
  {
    const std::vector<float> a(32, 1 + 0x1p-12f);
    CudaArray<float> there(Cuda{}, 32), to(Cuda{}, 32);
    there.upload(a.data(), 32);
    product_and_sum<<<1, 32>>>(there.data(), to.data());
    outcome.weights.resize(32);
    to.download(outcome.weights.data(), 32);
  }
  if (!gpu.faults().empty()) outcome.refused = gpu.faults().front();
  outcome.counts = gpu.counts();
  return outcome;
}
}  // namespace

int main() {
  const auto pair = train<CudaPlan::pair>, resident = train<CudaPlan::resident>, layers = train<CudaPlan::layers>;
  // Some barriers end loops of one round, or are between phases that have nothing in common in this network.
  plant({"TrainTiles", "bar.sync 0;", "deleted", deleted, 100, 0.75, "a race"}, pair);
  plant({"Resident", "bar.sync 0;", "deleted", deleted, 100, 0.75, "a race"}, resident);
  // One is between rounds of a block, of which this network has one.
  plant({"ApplyUpdate", "bar.sync 0;", "deleted", deleted, 100, 1, "a race"}, pair);
  // Those between slices of a product; others are between pieces of a block, of which this network has one.
  plant({"TrainPhase", "bar.sync 0;", "deleted", deleted, 8, 0.5, "a race"}, layers);
  const auto to_global = [](const std::string& line) { return replaced(line, ".shared", ".global"); };
  const auto to_shared = [](const std::string& line) { return replaced(line, ".global", ".shared"); };
  plant({"TrainTiles", "ld.shared.f32", "as a load of global memory", to_global, 6, 1, "of global memory"}, pair);
  plant({"TrainTiles", "ld.global.f32", "as a load of shared memory", to_shared, 6, 1, "of shared memory"}, pair);
  plant({"TrainTiles", "st.shared.f32 [%r", "as a store of global memory", to_global, 6, 1, "of global memory"}, pair);
  plant({"ApplyUpdate", "+4]", "one number further", moved, 8, 0.75, ""}, pair);
  const auto not_rounded = [](const std::string& line) { return replaced(line, ".rn", ""); };
  plant({"TrainTiles", "fma.rn.f32", "without .rn", not_rounded, 3, 1, "the instruction is not known"}, pair);
  const auto approximate = [](const std::string& line) { return replaced(line, ".rn", ".full"); };
  plant({"TrainTiles", "div.rn.f32", "as div.full", approximate, 3, 1, "not specified to the last bit"}, pair);
  // Either .rn keeps the product and the sum apart; without both, ptxas may make them one.
  const Outcome good = add_products({}, 1);
  const auto without = [](const char* product, const char* sum) {
    return add_products(
        [=](std::string& text) {
          for (const std::string op : {product, sum})
            if (!op.empty()) text.replace(text.find(op + ".rn.f32"), op.size() + 7, op + ".f32");
        },
        1);
  };
  const bool apart = without("mul", "").weights == good.weights && without("", "add").weights == good.weights;
  const bool together = without("mul", "add").weights != good.weights;
  wrong += !apart + !together;
  std::printf("product_and_sum: `.rn` of both, or one of them, dropped: %s\n", apart && together ? "ok" : "WRONG");
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
