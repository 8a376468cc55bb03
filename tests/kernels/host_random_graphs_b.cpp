// SPDX-License-Identifier: MIT
// labels: large
#include "support/graph_check.hpp"

using namespace sinter_test;

TEST_CASE("random graphs 12 to 19") {
  for_graphs<12, 8>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Graph>(); });
}
TEST_CASE("20, without a gradient of the input") {
  for_graphs<20, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_alone<Graph>(); });
}
TEST_CASE("22, each op in a kernel of its own") {
  for_graphs<22, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Unfused<Graph>>(); });
}
TEST_CASE("22, compared with its ops fused") {
  for_graphs<22, 1>([]<class Graph>(std::type_identity<Graph>) { check_fused_on_host<Graph>(); });
}
