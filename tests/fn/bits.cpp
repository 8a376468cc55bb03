// SPDX-License-Identifier: MIT
// labels: optimised
// All leaf mathematics gives the same bits from every compiler, at every level, contraction on or off; only whether the
// instruction set has fma may differ. The numbers were taken from g++ 12 at -O0.
#include <doctest/doctest.h>

#include "sinter/core/math.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/log_softmax.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/fn/sigmoid.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/fn/softplus.hpp"
#include "sinter/fn/tanh.hpp"
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/smooth_l1.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/optimizer/adagrad.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/adamw.hpp"
#include "sinter/optimizer/lion.hpp"
#include "sinter/optimizer/rmsprop.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "support/close.hpp"

namespace {

using namespace sinter::internal;

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
void loss(Bits<V>& bits, const V* y, Target target, const Loss& of = {}) {
  V dy[n];
  of.backward(y, n, target, V(0.3f), dy);
  bits.add(of.forward(y, n, target));
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

/// An optimizer, and a weight in its hands.
template <class Optimizer, class V>
struct Trained {
  Optimizer optimizer;
  V weight = V(1), state[Optimizer::states] = {};
  void step(Bits<V>& bits, long number, V gradient) {
    optimizer.template at<scalar_of<V>>(number)(weight, gradient, state);
    bits.add(weight);
  }
};

/// What came later.
template <class T, int L>
std::uint64_t more_hash() {
  using V = Pack<T, L>;
  constexpr int rows = 200;
  const auto x = closeness::to_packs<L>(closeness::numbers<T>(n * rows * L, -20, 20, 1));
  const auto dy = closeness::to_packs<L>(closeness::numbers<T>(n * rows * L, -1, 1, 2));
  Trained<AdamW, V> adamw{{.lr = 0.1}};
  Trained<RMSprop, V> rmsprop{{.lr = 0.1, .weight_decay = 0.1, .momentum = 0.5, .centered = true}};
  Trained<Adagrad, V> adagrad{{.lr = 0.1, .lr_decay = 0.1, .weight_decay = 0.1}};
  Trained<Lion, V> lion{{.lr = 0.1, .weight_decay = 0.1}};
  const WeightedCrossEntropyLoss<n> uneven{.weight = {1, 2, 0.5, 3, 1, 0, 4, 0.1, 1, 1}, .label_smoothing = 0.1};
  Bits<V> bits;
  for (int r = 0; r < rows; ++r) {
    const V *xs = &x[static_cast<std::size_t>(r * n)], *dys = &dy[static_cast<std::size_t>(r * n)];
    for (int i = 0; i < n; ++i) {
      leaf<fn::LeakyRelu<0.01>>(bits, xs[i], dys[i]);
      leaf<fn::Elu<0.7>>(bits, xs[i], dys[i]);
      leaf<fn::Gelu>(bits, xs[i], dys[i]);
      leaf<fn::GeluTanh>(bits, xs[i], dys[i]);
      leaf<fn::Silu>(bits, xs[i], dys[i]);
      leaf<fn::Softplus<0.9, 10.0>>(bits, xs[i], dys[i]);
      leaf<fn::Hardswish>(bits, xs[i], dys[i]);
    }
    loss(bits, xs, dys, L1Loss{});
    loss(bits, xs, dys, SmoothL1Loss{.beta = 3});
    loss(bits, xs, dys, HuberLoss{.delta = 3});
    loss(bits, xs, dys, BCEWithLogitsLoss{.pos_weight = 3});
    loss(bits, xs, dys, KLDivLoss{.log_target = true});
    loss(bits, xs, V(3), CrossEntropyLoss{.label_smoothing = 0.1});
    loss(bits, xs, V(3), uneven);
    adamw.step(bits, r, dys[0]);
    rmsprop.step(bits, r, dys[0]);
    adagrad.step(bits, r, dys[0]);
    lion.step(bits, r, dys[0]);
  }
  return bits.hash;
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
constexpr std::uint64_t float_1 = 9864251146988292854u, float_4 = 3353006095170186295u, double_1 = 5810912100852410801u,
                        double_2 = 11783132976237891956u;
constexpr std::uint64_t more_float_1 = 14059193842515163386u, more_float_4 = 14681542295623422306u,
                        more_double_1 = 10019726168956501300u, more_double_2 = 14676389911852918981u;
#else
constexpr std::uint64_t float_1 = 16664148972321647668u, float_4 = 4745973779583027955u,
                        double_1 = 11239275499545324364u, double_2 = 15406371061869936316u;
constexpr std::uint64_t more_float_1 = 5330384587968309203u, more_float_4 = 5629953310557670123u,
                        more_double_1 = 3037853960025476451u, more_double_2 = 5382280606840758576u;
#endif

}  // namespace

TEST_CASE("the same bits from every compiler" * doctest::skip(!closeness::exact)) {
  CHECK(hash<float, 1>() == float_1);
  CHECK(hash<float, 4>() == float_4);
  CHECK(hash<double, 1>() == double_1);
  CHECK(hash<double, 2>() == double_2);
}
TEST_CASE("the same bits of what came later, from every compiler" * doctest::skip(!closeness::exact)) {
  CHECK(more_hash<float, 1>() == more_float_1);
  CHECK(more_hash<float, 4>() == more_float_4);
  CHECK(more_hash<double, 1>() == more_double_1);
  CHECK(more_hash<double, 2>() == more_double_2);
}
