// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/kernels/host/engine.hpp"
#include "sinter/ops/text.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Ops [first, last) of a model, which one kernel does.
template <class Plan>
void add_stage(std::string& to, int s) {
  const Stage& stage = Plan::stage(s);
  if (stage.source == Source::map) to += "load, ";
  for (int i = stage.first; i < stage.last; ++i) {
    if (i > stage.first) to += ", ";
    plan_text::add_op(to, Plan::op(i));
  }
  if (!stage.is_product()) return;
  if (Plan::layered) return;
  if (Plan::skips_channels(s)) to += "   forward: skips dropped channels";
  to += Plan::sparse(s) ? "   backward: skips zeros" : "   backward: dense";
  if (Plan::taps_in_lanes(s)) to += " (taps in the lanes)";
}

}  // namespace host_kernels

/// How the host computes a batch of a model, a kernel a line, for describe().
template <class Model, class T, class Isa>
std::string describe_plan(const HostFor<Isa>& device, std::size_t batch) {
  using Plan = TilePlan<Model, T, Isa>;
  constexpr long long pack_bytes = Plan::lanes * static_cast<int>(sizeof(T));
  constexpr long long training_bytes = pack_bytes * host_kernels::Layout<Plan>::lay_out(true).packs;
  constexpr long long inference_bytes = pack_bytes * host_kernels::Layout<Plan>::lay_out(false).packs;
  constexpr long long slot_bytes = static_cast<long long>(sizeof(T)) * host_kernels::slot_size<Plan>;

  std::string all = Plan::layered ? "plan layer on " : "plan tile on ";
  const auto add = [&all](const char* before, long long n, const char* after) {
    all += before;
    plan_text::add_number(all, n, true);
    all += after;
  };
  all += HostFor<Isa>::name;
  all += ", ";
  all += Isa::name;
  add(", ", device.pool.size(), device.pool.size() == 1 ? " thread" : " threads");
  add(", ", Plan::lanes, " samples in the lanes\n");
  for (int s = 0; s < Plan::stage_count; ++s) {
    Schedule<typename Plan::Cut>::describe(all, s);
    add("kernel ", s + 1, ": ");
    host_kernels::add_stage<Plan>(all, s);
    all += '\n';
  }
  add("memory of a tile: ", training_bytes, " bytes in training");
  add(", ", inference_bytes, " in inference\n");
  constexpr bool waits = Schedule<typename Plan::Cut>::count > 1;
  const host_kernels::BatchParts<Plan> parts(batch, device.pool.size(), waits);
  add("batch ", static_cast<long long>(batch), ": ");
  add("", parts.tiles, parts.tiles == 1 ? " tile" : " tiles");
  if (Plan::layered) add(" in ", parts.count, parts.count == 1 ? " group" : " groups");
  if (parts.has_sums) {
    const int sums = parts.sums() + device.pool.size() * parts.sums_of_thread();
    add(", a sum of ", parts.tree.leaves(), parts.tree.leaves() == 1 ? " leaf" : " leaves");
    add(", ", sums, sums == 1 ? " gradient slot of " : " gradient slots of ");
    add("", slot_bytes, " bytes");
  }
  all += '\n';
  if (const char* const note = device.note(); *note != 0) ((all += "note: ") += note) += '\n';
  return all;
}

SINTER_NAMESPACE_END
