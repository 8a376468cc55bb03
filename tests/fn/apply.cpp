// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/apply.hpp"

#include <cmath>
#include <string>

#include "support/leaf.hpp"

namespace {

/// A user's functor of one number, with a branch and functions of the standard library, that reads its input.
struct LeakySine {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x < 0 ? 0.1 * x : std::sin(x); }
  static double backward(double x, double dy) { return x < 0 ? 0.1 * dy : std::cos(x) * dy; }
};
/// The same kind in float only, with a name.
struct Half {
  static constexpr const char* name = "Half";
  static constexpr double zeros = 0.25;
  static constexpr bool backward_reads_output = false;
  static float forward(float x) { return 0.5f * x; }
  static float backward(float, float dy) { return 0.5f * dy; }
};
/// A template over the value type.
struct Square {
  static constexpr bool backward_reads_output = false;
  template <class V>
  static V forward(V x) {
    return x * x;
  }
  template <class V>
  static V backward(V x, V dy) {
    return V(2) * x * dy;
  }
};
template <int n>
struct Power {
  template <class T>
  struct Of {};
};
struct NoBackward {
  [[maybe_unused]] static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x; }
};

}  // namespace

TEST_CASE("a functor of scalars works lane by lane") { leaf::check<LeakySine>({-3, -1, -0.5, 0.25, 1, 2, 4}); }
TEST_CASE("a functor of float serves double") {
  CHECK(sinter::fn::forward<Half>(3.0) == 1.5);
  leaf::check_lanes<Half, double>();
  leaf::check_lanes<Half, float>();
}
TEST_CASE("a template over its value type gets packs") {
  static_assert(sinter::fn::AcceptsForward<Square, sinter::internal::Pack<float, 4>>);
  static_assert(!sinter::fn::AcceptsForward<LeakySine, sinter::internal::Pack<float, 4>>);
  leaf::check<Square>({-3, -1, 0.25, 1, 2});
}
TEST_CASE("what may be left out") {
  CHECK(sinter::fn::zeros_of<LeakySine> == 0);
  CHECK(sinter::fn::zeros_of<Half> == 0.25);
  CHECK(sinter::fn::name_of<LeakySine> == std::string("LeakySine"));
  CHECK(sinter::fn::name_of<Half> == std::string("Half"));
  CHECK(sinter::fn::name_of<Power<2>> == std::string("Power"));
  CHECK(sinter::fn::name_of<Power<2>::Of<Power<3>>> == std::string("Of"));
  static_assert(!sinter::fn::Functor<NoBackward>);
  static_assert(!sinter::fn::Functor<int>);
}
