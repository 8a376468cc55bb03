// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/fake_cuda/fake_cuda.hpp"
#include "support/ptx/counts.hpp"
#include "support/ptx/memory.hpp"
#include "support/ptx/module.hpp"

namespace sinter_test::ptx {

/// Runs, while it lives, the PTX of the kernels that the program launches by the fake runtime: one block after
/// another, the warps of a block in an order drawn by the seed. A launch that is refused breaks the context, as on a
/// GPU; `faults` says why.
class Gpu final : fake_cuda::CompiledCode {
 public:
  explicit Gpu(unsigned seed = 1);
  Gpu(const Gpu&) = delete;
  ~Gpu();

  /// Changes the PTX of the program before it is decoded: call it before the first launch.
  void edit(std::function<void(std::string& ptx)> change) { change_ = std::move(change); }

  const std::vector<std::string>& faults() const { return faults_; }
  /// By the mangled names of kernels, since the last call of forget_counts.
  const std::map<std::string, KernelCounts>& counts() const { return counts_; }
  void forget_counts() { counts_.clear(); }

 private:
  std::vector<std::byte> arguments_of(const fake_cuda::CompiledKernel& kernel, void** arguments) override;
  bool run(const fake_cuda::CompiledKernel& kernel, const fake_cuda::CompiledLaunch& launch) override;
  const Kernel& find(const fake_cuda::CompiledKernel& kernel);

  std::mt19937 random_;
  std::function<void(std::string&)> change_;
  std::map<const void*, std::unique_ptr<Module>> modules_;  // by fat binary
  Memory memory_;
  std::map<std::string, KernelCounts> counts_;
  std::vector<std::string> faults_;
};

}  // namespace sinter_test::ptx
