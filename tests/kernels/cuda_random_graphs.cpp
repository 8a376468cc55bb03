// SPDX-License-Identifier: MIT
// labels: large
#include "support/graph_check.hpp"

using namespace sinter_test;

TEST_CASE("random graphs by the plan that takes a batch whole") {
  for_graphs<0, 12, 4>(
      []<class Graph>(std::type_identity<Graph>) { check_graph_on_cuda<KernelPlan::phases, Graph>(); });
}
TEST_CASE("random graphs by the plan of tiles, and each op in a kernel of its own") {
  for_graphs<1, 12, 4>([]<class Graph>(std::type_identity<Graph>) {
    if constexpr (!sinter::gpu_kernels::Stages<Graph>::of_batch) check_graph_on_cuda<KernelPlan::tiles, Graph>();
  });
  for_graphs<2, 3, 15>(
      []<class Graph>(std::type_identity<Graph>) { check_graph_on_cuda<KernelPlan::phases, Unfused<Graph>>(); });
}
