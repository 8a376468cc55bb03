// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include "support/graph_check.hpp"

using namespace sinter_test;
using random_graphs::Sequences;

TEST_CASE("random graphs with recurrent layers 0 to 8") {
  for_graphs<0, 9, 1, Sequences>([]<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Graph>(); });
}
TEST_CASE("9, without a gradient of the input") {
  for_graphs<9, 1, 1, Sequences>([]<class Graph>(std::type_identity<Graph>) { check_graph_alone<Graph>(); });
}
TEST_CASE("11, each op in a kernel of its own") {
  for_graphs<11, 1, 1, Sequences>(
      []<class Graph>(std::type_identity<Graph>) { check_graph_on_host<Unfused<Graph>>(); });
}
TEST_CASE("11, compared with its ops fused") {
  for_graphs<11, 1, 1, Sequences>([]<class Graph>(std::type_identity<Graph>) { check_fused_on_host<Graph>(); });
}
