// SPDX-License-Identifier: MIT
// labels: large change gpu
#include "support/graph_check.hpp"

using namespace sinter_test;

TEST_CASE("random graphs by the plan that takes a batch whole") {
  for_graphs<0, 12, 4>(
      []<class Graph>(std::type_identity<Graph>) { check_graph_on_cuda<KernelPlan::phases, Graph>(); });
}
TEST_CASE("random graphs by the plan of tiles") {
  for_graphs<1, 12, 4>([]<class Graph>(std::type_identity<Graph>) {
    if constexpr (!sinter::internal::gpu_kernels::Stages<Graph>::of_batch)
      check_graph_on_cuda<KernelPlan::tiles, Graph>();
  });
}
TEST_CASE("random graphs by the plan that keeps a network in a block") {
  for_graphs<1, 6, 8>([]<class Graph>(std::type_identity<Graph>) { check_graph_resident<Graph>(); });
}
TEST_CASE("the same graph with its ops fused, and each in a kernel of its own") {
  for_graphs<0, 3, 16>([]<class Graph>(std::type_identity<Graph>) {
    check_graph_on_cuda<KernelPlan::phases, Unfused<Graph>>();
    check_fused_on_cuda<KernelPlan::phases, Graph>();
  });
}
