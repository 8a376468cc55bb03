// SPDX-License-Identifier: MIT
// labels: large
#include "support/graph_check.hpp"

using namespace sinter_test;

TEST_CASE("random graphs 36 to 43") {
  for_graphs<36, 8>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Graph>(); });
}
TEST_CASE("44, without a gradient of the input") {
  for_graphs<44, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_alone<Graph>(); });
}
TEST_CASE("46, each op in a kernel of its own") {
  for_graphs<46, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Unfused<Graph>>(); });
}
TEST_CASE("46, compared with its ops fused") {
  for_graphs<46, 1>([]<class Graph>(std::type_identity<Graph>) { check_fused_on_host<Graph>(); });
}
