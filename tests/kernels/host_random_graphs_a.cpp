// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "support/graph_check.hpp"

using namespace sinter_test;

TEST_CASE("random graphs 0 to 7") {
  for_graphs<0, 8>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Graph>(); });
}
TEST_CASE("8, without a gradient of the input") {
  for_graphs<8, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_alone<Graph>(); });
}
TEST_CASE("10, each op in a kernel of its own") {
  for_graphs<10, 1>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Unfused<Graph>>(); });
}
TEST_CASE("10, compared with its ops fused") {
  for_graphs<10, 1>([]<class Graph>(std::type_identity<Graph>) { check_fused_on_host<Graph>(); });
}
