// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/describe.hpp"
#include "sinter/ops/text.hpp"
#include "sinter/ranks/micro_batches.hpp"
#include "sinter/ranks/pipeline.hpp"
#include "sinter/ranks/step_traffic.hpp"

SINTER_NAMESPACE_BEGIN

/// The stages of a network, what they send, and the plan of each.
template <class Model, class T, class Places, class Device>
std::string describe_plan(const Pipeline<Places, Device>& device, std::size_t batch) {
  using Parts = detail::Stages<Model, Places>;
  const detail::MicroBatches batches(batch, static_cast<std::size_t>(device.micro_batches));
  const int ranks = device.world == nullptr ? 1 : device.world->size();
  std::string all;
  const auto add = [&all](const char* before, long long n, const char* after = "") {
    all += before;
    plan_text::add_number(all, n, true);
    all += after;
  };
  add("", Parts::count, " stages");
  add(" on ", ranks, ranks == 1 ? " rank" : " ranks");
  add(", ", static_cast<long long>(batches.count()), " micro-batches");
  add(" of up to ", static_cast<long long>(batches.most_rows()), " rows\n");
  unroll<Parts::count>([&](auto s) {
    constexpr int S = decltype(s)::value;
    using Ops = Program<typename Parts::template StageOf<S>>;
    double multiplications = 0;
    for (const Op& op : Ops::ops) multiplications += static_cast<double>(op.multiply_adds());
    add("stage ", S + 1, " on rank ");
    add("", Parts::owner(S, ranks));
    add(": layers ", Parts::first_layer(S));
    add(" to ", Parts::first_layer(S + 1) - 1);
    add(", ", Ops::trained, " parameters");
    add(", ", static_cast<long long>(multiplications), " multiply-adds a row");
    if (S + 1 < Parts::count)
      add(", sends ", static_cast<long long>(sizeof(T)) * Ops::output.size(), " bytes a row, and gets as many back");
    all += '\n';
    all +=
        describe_plan<typename Parts::template StageOf<S>, T>(static_cast<const Device&>(device), batches.most_rows());
  });
  return all;
}

SINTER_NAMESPACE_END
