// expected: sinter: ops::Mask<P, PerChannel> takes a probability P from 0 to 1
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

template <double P>
struct Drop {
  static constexpr const char* name = "Drop";
  using Needs = needs::any_shape;
  using Ops = OpList<ops::Mask<P, false>>;
  static constexpr bool accepts(Dims) { return true; }
};
struct Net : Sequential<Input<3>, Linear<4>, Drop<2.0>, Linear<2>> {};
Network<Net> net;
