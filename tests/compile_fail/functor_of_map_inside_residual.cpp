// expected: sinter: the functor of an activation has no static backward
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Sine {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x; }
};
template <int Out, class Functor>
struct Mine {
  static constexpr const char* name = "Mine";
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<ops::MatMul<Out, true>, ops::Map<Functor>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }
};
struct Net : Sequential<Input<2>, Linear<8>, Residual<Path<Mine<8, Sine>>>, Linear<2>> {};
Network<Net> net;
