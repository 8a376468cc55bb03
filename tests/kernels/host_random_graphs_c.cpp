// SPDX-License-Identifier: MIT
// labels: large
#include "support/graph_check.hpp"

using namespace sinter_test;

TEST_CASE("random graphs 24 to 31") {
  for_graphs<24, 8>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Graph>(); });
}
TEST_CASE("32, without a gradient of the input") {
  for_graphs<32, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_alone<Graph>(); });
}
TEST_CASE("34, each op in a kernel of its own") {
  for_graphs<34, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Unfused<Graph>>(); });
}
TEST_CASE("34, compared with its ops fused") {
  for_graphs<34, 1>([]<class Graph>(std::type_identity<Graph>) { check_fused_on_host<Graph>(); });
}
