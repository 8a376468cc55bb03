// SPDX-License-Identifier: MIT
// All leaf mathematics gives the same bits from every compiler, at every level, contraction on or off; only whether the
// instruction set has fma may differ. The numbers were taken from g++ 12 at -O0.
#include <doctest/doctest.h>

#include "sinter/core/math.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "support/close.hpp"

namespace {

using namespace sinter;

/// A hash of what it is given. `sum` adds first: a caller into whose sums the compiler might contract a last product.
template <class V>
struct Bits {
  std::uint64_t hash = 0xcbf29ce484222325u;
  void add(V v) {
    unsigned char bytes[sizeof v];
    std::memcpy(bytes, &v, sizeof v);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  }
  void sum(const V* v, int n) {
    V total = V(0.01f);
    for (int i = 0; i < n; ++i) total += v[i];
    add(total);
  }
};

constexpr int n = 10;

template <class F, class V>
void leaf(Bits<V>& bits, V x, V dy) {
  const V y = F::forward(x);
  bits.add(y);
  bits.add(F::backward(y, dy) + V(0.01f));
}
template <class F, class V>
void row(Bits<V>& bits, const V* x, const V* dy) {
  V y[n], dx[n];
  for (int i = 0; i < n; ++i) dx[i] = dy[i];
  F::forward(x, y, n);
  F::backward(y, dx, n);
  bits.sum(y, n);
  bits.sum(dx, n);
}
template <class Loss, class V, class Target>
void loss(Bits<V>& bits, const V* y, Target target) {
  V dy[n];
  Loss{}.backward(y, n, target, V(0.3f), dy);
  bits.add(Loss{}.forward(y, n, target));
  bits.sum(dy, n);
}

template <class T, int L>
std::uint64_t hash() {
  using V = Pack<T, L>;
  constexpr int rows = 200;
  const auto x = closeness::to_packs<L>(closeness::numbers<T>(n * rows * L, -20, 20, 1));
  const auto dy = closeness::to_packs<L>(closeness::numbers<T>(n * rows * L, -1, 1, 2));
  const auto sgd = SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.1, .weight_decay = 0.01, .nesterov = false};
  const auto adam = Adam{.lr = 0.1, .weight_decay = 0.1};
  V by_sgd(1), by_adam(1), sgd_state[1] = {V(0)}, adam_state[2] = {V(0), V(0)};
  Bits<V> bits;
  for (int r = 0; r < rows; ++r) {
    const V *xs = &x[static_cast<std::size_t>(r * n)], *dys = &dy[static_cast<std::size_t>(r * n)];
    for (int i = 0; i < n; ++i) {
      bits.add(sinter::fn::exp(xs[i]) + V(0.01f));
      bits.add(sinter::fn::log(sinter::fn::exp(xs[i])));
      leaf<fn::Relu>(bits, xs[i], dys[i]);
      leaf<fn::Tanh>(bits, xs[i], dys[i]);
      leaf<fn::Sigmoid>(bits, xs[i], dys[i]);
    }
    row<fn::Softmax>(bits, xs, dys);
    row<fn::LogSoftmax>(bits, xs, dys);
    loss<CrossEntropyLoss>(bits, xs, V(3));
    loss<MSELoss>(bits, xs, dys);
    sgd.at<T>(r)(by_sgd, dys[0], sgd_state);
    adam.at<T>(r)(by_adam, dys[0], adam_state);
    bits.add(by_sgd);
    bits.add(by_adam);
  }
  return bits.hash;
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr std::uint64_t float_1 = 6094299595124960433u, float_4 = 5287399898812654196u, double_1 = 5810912100852410801u,
                        double_2 = 11783132976237891956u;
#else
constexpr std::uint64_t float_1 = 15179928148632224193u, float_4 = 8423663346803388887u,
                        double_1 = 11239275499545324364u, double_2 = 15406371061869936316u;
#endif

}  // namespace

TEST_CASE("the same bits from every compiler" * doctest::skip(!closeness::exact)) {
  CHECK(hash<float, 1>() == float_1);
  CHECK(hash<float, 4>() == float_4);
  CHECK(hash<double, 1>() == double_1);
  CHECK(hash<double, 2>() == double_2);
}
