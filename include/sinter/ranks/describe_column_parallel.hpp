// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/describe.hpp"
#include "sinter/ops/text.hpp"
#include "sinter/ranks/column_parallel.hpp"

SINTER_NAMESPACE_BEGIN

/// What each rank has of a network, and the plan of each of its layers: of a divided one, that of a largest part.
template <class Model, class T, class Wide, int Parts, class Device>
std::string describe_plan(const ColumnParallel<Wide, Parts, Device>& device, std::size_t batch) {
  using Units = detail::ColumnUnits<Model, Wide, Parts>;
  const int ranks = device.ranks();
  std::string all;
  const auto add = [&all](const char* before, long long n, const char* after = "") {
    all += before;
    plan_text::add_number(all, n, true);
    all += after;
  };
  long long most = 0;
  for (int rank = 0; rank < ranks; ++rank) most = std::max(most, Units::numbers_of(rank, ranks));
  add("", Units::wide, " layers in ");
  add("", Parts, Parts == 1 ? " part" : " parts");
  add(" on ", ranks, ranks == 1 ? " rank" : " ranks");
  add(", each with up to ", most);
  add(" of ", Program<Model>::trained, " parameters\n");
  const Device& host = device;
  unroll<Units::wide + 1>([&](auto k) {
    constexpr int K = decltype(k)::value;
    if constexpr (Units::computes(K)) {
      add("layers ", Units::first_narrow(K));
      add(" to ", Units::end_narrow(K) - 1, " on every rank\n");
      all += describe_plan<typename Units::template Narrow<K>, T>(host, batch);
    }
    if constexpr (K < Units::wide) {
      add("layer ", Units::end_narrow(K));
      add(": ", Units::template columns<K>, " columns");
      add(", up to ", Units::template first_column<K>(Parts) - Units::template first_column<K>(Parts - 1),
          " in a part\n");
      all += describe_plan<typename Units::template PartOfLayer<K, Parts - 1>, T>(host, batch);
    }
  });
  return all;
}

SINTER_NAMESPACE_END
