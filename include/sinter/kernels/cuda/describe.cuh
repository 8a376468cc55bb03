// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/kernels/cuda/engine.cuh"
#include "sinter/kernels/gpu/choose.hpp"
#include "sinter/ops/text.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

/// What a GPU does with a batch of a model, a stage a line: for describe().
template <class Model, class T, CudaPlan Wanted, CudaProducts Products>
std::string describe_plan(const CudaWith<Wanted, Products>& device, std::size_t batch) {
  constexpr int states = 1;  // of SGD; Adam's additional state may rule out `resident`
  using Choose = gpu_kernels::Choose<Model, T, states, Wanted>;
  using S = gpu_kernels::Stages<Model>;
  const CudaDevice properties = require_cuda_device(device);
  const gpu_kernels::Loaded loaded = gpu_kernels::Loaded::of<Model, T>(device);
  const std::size_t shared = loaded.shared;
  const int rows = static_cast<int>(batch);
  const CudaPlan plan = Choose::plan(rows, shared);

  std::string all = std::string("plan ") + name_of(plan) + " on cuda, device " + std::to_string(device.device) + " \"" +
                    properties.name + "\", code for compute capability " +
                    gpu_kernels::capability_text(loaded.capability) +
                    (Wanted == CudaPlan::automatic ? "" : ", as asked for") + "\n";
  if (Products != CudaProducts::float32)
    all += plan == CudaPlan::layers && sizeof(T) == 4
               ? std::string("large products of ") + name_of(Products) +
                     (loaded.capability >= 80 ? ", on tensor cores\n" : ": float32, for lack of tensor cores\n")
               : std::string("products of float32, not ") + name_of(Products) +
                     ": only the plan layers in float has them\n";
  for (int s = 0; s < S::count; ++s) {
    Schedule<typename S::Cut>::describe(all, s);
    all += "stage ";
    plan_text::add_number(all, s + 1);
    all += ": ";
    const Stage& stage = S::at(s);
    for (int i = stage.first; i < stage.last; ++i) {
      if (i > stage.first) all += ", ";
      plan_text::add_op(all, S::op(i));
    }
    if (stage.pool >= 0) all += "   backward: skips zeros";
    all += '\n';
  }
  const auto add = [&all](const char* before, long long n, const char* after) {
    all += before;
    plan_text::add_number(all, n, true);
    all += after;
  };
  using Memory = gpu_kernels::TeamMemory<Model, T, true, gpu_kernels::Expected::tile>;
  add("", static_cast<long long>(Memory::bytes(1)), " bytes for a block with one sample in training");
  add(", ", static_cast<long long>(shared), " at most\n");
  add("batch ", rows, ": ");
  if (!Choose::fits(plan, shared)) {
    all += "does not fit\n";
  } else if (plan == CudaPlan::resident) {
    add("one block, ", Choose::resident_cut(rows, shared), " samples at a time, one launch for many steps\n");
  } else if (plan == CudaPlan::pair) {
    const gpu_kernels::Cut cut = Choose::pair_cut(rows, shared);
    add("", cut.slot_count, cut.slot_count == 1 ? " block" : " blocks");
    add(", ", cut.rows, " samples at a time, 2 launches for a step\n");
  } else {
    add("", Choose::template phases<gpu_kernels::Expected::grid> + 3, " launches over the whole grid for a step\n");
  }
  all += "estimated microseconds for a step:";
  for (const CudaPlan other : {CudaPlan::resident, CudaPlan::pair, CudaPlan::layers}) {
    all += std::string(other == CudaPlan::resident ? " " : ", ") + name_of(other) + " ";
    if (Choose::cost(other, rows, shared) < Choose::never)
      plan_text::add_fraction(all,
                              static_cast<double>(static_cast<long long>(Choose::cost(other, rows, shared) * 10)) / 10);
    else
      all += "does not fit";
  }
  all += "\n";
  return all;
}

SINTER_NAMESPACE_END
