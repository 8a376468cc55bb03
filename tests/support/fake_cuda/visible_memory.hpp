// SPDX-License-Identifier: MIT
#pragma once

namespace sinter_test::fake_cuda {

/// While it lives, code of the host may read and write the memory of devices: for Thrust's systems for CPUs, whose
/// devices are the host. Otherwise the address sanitizer refuses that.
class VisibleMemory {
 public:
  VisibleMemory();
  VisibleMemory(const VisibleMemory&) = delete;
  ~VisibleMemory();
};

}  // namespace sinter_test::fake_cuda
