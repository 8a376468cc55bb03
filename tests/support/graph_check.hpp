// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "support/cuda_on_host.hpp"
#include "support/host_check.hpp"
#include "support/random_graphs.hpp"
#include "support/resident_on_host.hpp"

/// What a network drawn at random must satisfy on a device: everything against the reference, and central differences.
namespace sinter_test {

/// The same ops, each in a kernel of its own (plan/stages.hpp).
template <class Graph>
struct Unfused : Graph {
  static constexpr bool unfused = true;
};

/// Engines that should differ in nothing: by 1, 2 and 3 threads.
void check_threads(const AnyModel& model, const AnyEngine<double>& reference,
                   std::span<const AnyEngine<double>* const> engines, std::size_t lanes);
/// Outputs and gradients of ragged batches, by the plan that is `alone` without that of the input.
void check_graph(const AnyModel& model, const AnyEngine<double>& reference, const AnyEngine<double>& engine,
                 bool alone = false);
/// One and the same graph with its ops fused and with each in a kernel of its own: outputs, losses and all gradients.
void check_fused(const AnyModel& model, const AnyEngine<double>& fused, const AnyEngine<double>& unfused);

/// check(graph) of `Count` graphs from `First` on, each `Step` after the other. Sanitizers make compilers slow: one there.
template <int First, int Count, int Step = 1, class Graphs = random_graphs::All>
void for_graphs(const auto& check) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (check(std::type_identity<typename Graphs::template At<First + I * Step>>{}), ...);
  }(std::make_integer_sequence<int, sanitized ? 1 : Count>{});
}

/// Whether single rows are computed by kernels of one row, in the memory of one: whatever the layers.
template <class Graph>
constexpr bool has_kernels_of_one_row =
    typename sinter::internal::HostInference<Graph, double, sinter::isa::Native>::Memory(1).tiles == 0;

template <class Graph>
void check_graph_on_host() {
  static_assert(has_kernels_of_one_row<Graph>);
  const GivenGradient loss;
  sinter::internal::ReferenceEngine<Graph, double> reference;
  HostUnderTest<Graph, double> hosts[] = {HostUnderTest<Graph, double>(1), HostUnderTest<Graph, double>(2),
                                          HostUnderTest<Graph, double>(3)};
  const AnyEngineOf<double, HostUnderTest<Graph, double>, GivenGradient> engines[] = {
      {hosts[0], loss}, {hosts[1], loss}, {hosts[2], loss}};
  const AnyEngine<double>* const all[] = {&engines[0], &engines[1], &engines[2]};
  const auto oracle = any_engine<double>(reference, loss);
  check_threads(any_model<Graph>(), oracle, all, sinter::internal::TilePlan<Graph, double, sinter::isa::Native>::lanes);
}
template <class Graph>
void check_graph_alone() {
  const GivenGradient loss;
  sinter::internal::ReferenceEngine<Graph, double> reference;
  HostUnderTest<Graph, double> host(2);
  ParametersAlone alone{host};
  check_graph(any_model<Graph>(), any_engine<double>(reference, loss), any_engine<double>(alone, loss), true);
}
template <KernelPlan Plan, class Graph>
void check_graph_on_cuda() {
  const GivenGradient loss;
  sinter::internal::ReferenceEngine<Graph, double> reference;
  CudaOnHost<Graph, double, Plan> engine;
  check_graph(any_model<Graph>(), any_engine<double>(reference, loss), any_engine<double>(engine, loss));
  CHECK(engine.all_answered());
}

template <class Graph>
void check_graph_resident() {
  if constexpr (ResidentOnHost<Graph, double>::fits) {
    const GivenGradient loss;
    sinter::internal::ReferenceEngine<Graph, double> reference;
    ResidentOnHost<Graph, double> engine;
    check_graph(any_model<Graph>(), any_engine<double>(reference, loss), any_engine<double>(engine, loss), true);
    CHECK(engine.steps() > 0);
  }
}
template <KernelPlan Plan, class Graph>
void check_fused_on_cuda() {
  const GivenGradient loss;
  CudaOnHost<Graph, double, Plan> fused;
  CudaOnHost<Unfused<Graph>, double, Plan> unfused;
  check_fused(any_model<Graph>(), any_engine<double>(fused, loss), any_engine<double>(unfused, loss));
}
template <class Graph>
void check_fused_on_host() {
  const GivenGradient loss;
  HostUnderTest<Graph, double> fused(2);
  HostUnderTest<Unfused<Graph>, double> unfused(2);
  check_fused(any_model<Graph>(), any_engine<double>(fused, loss), any_engine<double>(unfused, loss));
}

}  // namespace sinter_test
