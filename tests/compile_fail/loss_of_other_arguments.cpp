// expected: sinter: a loss's forward cannot be called
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;

struct Net : Sequential<Input<2>, Linear<2>> {};
struct Focal {
  using Target = ClassTarget;
  static constexpr const char *name = "Focal";
  template <class V> V forward(const V *y, int n) const {
    return y[0] * V(static_cast<float>(n));
  }
  template <class V> void backward(const V *, int, V, V, V *) const {}
};
void train(Network<Net> &net) {
  fit(net, disc(10, 1), Focal{}, SGD{.lr = 0.1}, {.epochs = 2});
}
