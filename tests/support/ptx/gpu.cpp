// SPDX-License-Identifier: MIT
#include "support/ptx/gpu.hpp"

#include <cstring>

#include "support/ptx/block.hpp"
#include "support/ptx/fat_binary.hpp"
#include "support/ptx/fault.hpp"

namespace sinter_test::ptx {

Gpu::Gpu(unsigned seed) : random_(seed) { fake_cuda::run_compiled_code(this); }
Gpu::~Gpu() { fake_cuda::run_compiled_code(nullptr); }

const Kernel& Gpu::find(const fake_cuda::CompiledKernel& kernel) {
  std::unique_ptr<Module>& module = modules_[kernel.binary];
  if (module == nullptr) {
    std::string text = ptx_of(kernel.binary);
    if (change_) change_(text);
    module = std::make_unique<Module>(text);
  }
  return module->kernel(kernel.name);
}

std::vector<std::byte> Gpu::arguments_of(const fake_cuda::CompiledKernel& kernel, void** arguments) {
  try {
    const Kernel& decoded = find(kernel);
    std::vector<std::byte> bytes(decoded.parameter_bytes);
    for (std::size_t k = 0; k < decoded.parameters.size(); ++k)
      std::memcpy(bytes.data() + decoded.parameters[k].offset, arguments[k], decoded.parameters[k].size);
    return bytes;
  } catch (const Fault&) {
    return {};  // the launch says it
  }
}

bool Gpu::run(const fake_cuda::CompiledKernel& kernel, const fake_cuda::CompiledLaunch& launch) {
  try {
    const Kernel& decoded = find(kernel);
    std::vector<Range> ranges;
    for (const fake_cuda::Bytes& bytes : launch.memory) ranges.push_back({bytes.data, bytes.size});
    for (auto& [name, bytes] : modules_[kernel.binary]->variables()) ranges.push_back({bytes.data(), bytes.size()});
    memory_.begin_launch(std::move(ranges), launch.arguments);
    KernelCounts& counts = counts_[kernel.name];
    ++counts.launches;
    counts.blocks += launch.blocks;
    for (unsigned block = 0; block < launch.blocks; ++block)
      Block(decoded, {block, launch.blocks, launch.threads, launch.shared_bytes}, memory_, counts, random_).run();
    return true;
  } catch (const Fault& fault) {
    faults_.emplace_back(fault.what());
    return false;
  }
}

}  // namespace sinter_test::ptx
