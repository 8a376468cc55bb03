// expected: sinter: the functor of an activation has no static forward
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Bad {};
struct Mine {
  static constexpr const char* name = "Mine";
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<ops::MatMul<4, true>, ops::Map<Bad>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }
};
struct Net : Sequential<Input<2>, Mine, Linear<2>> {};
void train(Network<Net>& net) { fit(net, disc(10, 1), CrossEntropyLoss{}, SGD{.lr = 0.1}, {.epochs = 2}); }
