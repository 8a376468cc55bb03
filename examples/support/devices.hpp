// SPDX-License-Identifier: MIT
#pragma once

// Compiled by nvcc, an example knows the device Cuda as well.
#if defined(__CUDACC__)
#include <sinter/sinter.cuh>
#else
#include <sinter/sinter.hpp>
#endif

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "arguments.hpp"

/// What `--device` may be.
inline const std::string device_choices =
    "host, cuda (an NVIDIA GPU), reference (plain loops, slow, to compare with), or all at hand in turn";

inline void check_device(const Arguments& arguments, const std::string& name) {
  if (name != "host" && name != "cuda" && name != "reference" && name != "all")
    arguments.refuse("--device was given \"" + name + "\", expected host, cuda, reference or all");
}

/// What --threads is by default: what the machine has, at most 2.
inline int default_threads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 2); }

/// The seconds that an example took on a device, and whether all went well.
struct DeviceRun {
  double seconds = 0;
  bool sound = true;
};

/// Calls run(device) on the requested device, or on each available one, and then shows their times side by side.
/// Returns what main should.
template <class Run>
int on_devices(const std::string& name, int threads, Run&& run) {
  struct Line {
    std::string device;
    DeviceRun run;
  };
  std::vector<Line> lines;
  const auto add = [&](const std::string& device, DeviceRun done) { lines.push_back({device, done}); };
  const bool all = name == "all";
  if (all || name == "host") add("host, threads: " + std::to_string(threads), run(sinter::Host{.threads = threads}));
#if defined(__CUDACC__)
  if (all) {
    const auto devices = sinter::cuda_devices();
    for (const auto& device : devices)
      add("cuda " + std::to_string(device.index) + ", " + device.name, run(sinter::Cuda{.device = device.index}));
    if (devices.empty()) std::printf("cuda: skipped: %s\n", sinter::why_no_cuda().c_str());
  } else if (name == "cuda") {
    add("cuda", run(sinter::Cuda{}));
  }
#else
  if (all) std::printf("cuda: skipped: this program was compiled without nvcc\n");
  if (name == "cuda")
    throw sinter::Error(
        "sinter: --device cuda was given to a program that was compiled without nvcc; build it with the CUDA toolkit");
#endif
  if (name == "reference") add("reference", run(sinter::Reference{}));

  bool sound = true;
  for (const Line& line : lines) sound &= line.run.sound;
  if (all) {
    std::printf("\n%-40s %12s\n", "device", "seconds");
    for (const Line& line : lines) std::printf("%-40s %12.4f\n", line.device.c_str(), line.run.seconds);
  }
  return sound ? 0 : 1;
}
