// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/per_position.hpp"

#include <cmath>
#include <limits>

#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "support/loss.hpp"

using namespace sinter::internal;

namespace {

using Weighted = WeightedCrossEntropyLoss<3>;
template <class Loss>
using Steps = PerPosition<Shape<4>, 3, ClassOrder::classes_last, Loss>;
template <class Loss>
using Pixels = PerPosition<Shape<2, 2>, 3, ClassOrder::classes_first, Loss>;

const std::vector<double> labels = {2, 0, 1, 0}, some_ignored = {2, -100, 1, -100};
const Weighted weighted{.weight = {0.5, 2, 3}, .label_smoothing = 0.1};

template <template <class> class Positions, class Loss>
void check(const Loss& loss, const std::vector<double>& wanted) {
  const Positions<Loss> all(loss);
  const std::vector<float> in_float(wanted.begin(), wanted.end());
  loss::check_gradient(12, wanted.data(), wanted.data(), all);
  loss::check_float(12, in_float.data(), wanted.data(), all);
  closeness::for_each_lane_count<float>([&]<int L>() {
    std::vector<std::vector<float>> each(L, in_float);
    for (std::size_t lane = 0; lane < L; ++lane)
      std::rotate(each[lane].begin(), each[lane].begin() + static_cast<std::ptrdiff_t>(lane % 4), each[lane].end());
    std::vector<Pack<float, L>> packs(4);
    for (std::size_t lane = 0; lane < L; ++lane)
      for (std::size_t p = 0; p < 4; ++p) packs[p].set(static_cast<int>(lane), each[lane][p]);
    loss::check_lanes<Positions<Loss>, float, L>(
        12, static_cast<const Pack<float, L>*>(packs.data()),
        [&](int lane) { return static_cast<const float*>(each[static_cast<std::size_t>(lane)].data()); }, all);
  });
}

}  // namespace

TEST_CASE("gradients, floats, lanes, in place") {
  check<Steps>(CrossEntropyLoss{}, labels);
  check<Pixels>(CrossEntropyLoss{.label_smoothing = 0.2}, labels);
  check<Steps>(NLLLoss{}, labels);
  check<Pixels>(weighted, labels);
  check<Steps>(weighted, some_ignored);
}

TEST_CASE("a row is the mean of its positions, in both orders") {
  const auto y = closeness::numbers(12, -3, 3);
  std::vector<double> turned(12), dy(12), dturned(12);
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t c = 0; c < 3; ++c) turned[c * 4 + p] = y[p * 3 + c];
  double mean = 0;
  for (std::size_t p = 0; p < 4; ++p) mean += CrossEntropyLoss{}.forward(&y[p * 3], 3, labels[p]) / 4;
  const Steps<CrossEntropyLoss> steps;
  const Pixels<CrossEntropyLoss> pixels;
  CHECK(steps.forward(y.data(), 12, labels.data()) == doctest::Approx(mean));
  CHECK(pixels.forward(turned.data(), 12, labels.data()) == steps.forward(y.data(), 12, labels.data()));
  steps.backward(y.data(), 12, labels.data(), 1.0, dy.data());
  pixels.backward(turned.data(), 12, labels.data(), 1.0, dturned.data());
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t c = 0; c < 3; ++c) CHECK(dturned[c * 4 + p] == dy[p * 3 + c]);
}

TEST_CASE("on tensors: the weights of labels divide the sum over all rows") {
  const Tensor<double, Shape<4, 3>> y(closeness::numbers(24, -3, 3));
  const Tensor<double, Shape<4>> wanted({2, 0, 1, 0, -100, 2, -100, -100});
  double sum = 0, weights = 0;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t p = 0; p < 4; ++p) {
      const double label = wanted.values()[r * 4 + p];
      sum += weighted.forward(y.data() + r * 12 + p * 3, 3, label);
      weights += weighted.weight_of(static_cast<std::int64_t>(label));
    }
  const Steps<Weighted> loss(weighted);
  const auto got = loss(y, wanted);
  CHECK(got.value == doctest::Approx(sum / weights));
  for (std::size_t i = 12; i < 15; ++i) CHECK(got.gradient.values()[i] == 0);  // an ignored step
  const Tensor<double, Shape<4>> nothing({-100, -100, -100, -100, -100, -100, -100, -100});
  CHECK(loss(y, nothing).value == 0);
  const auto none = loss(y, nothing);
  for (const double d : none.gradient.values()) CHECK(d == 0);
}

TEST_CASE("on tensors: a label that is no class is named") {
  const Tensor<double, Shape<4, 3>> y(closeness::numbers(24, -3, 3));
  const Tensor<double, Shape<4>> wanted({2, 0, 1, 0, 0, 2, 3, 0});
  check_refused([&] { Steps<CrossEntropyLoss>{}(y, wanted); },
                {"row 1 of the targets has the class 3 at position 2", "from 0 to 2", "ignore_index"});
}

TEST_CASE("labels that are no class") {
  const Steps<CrossEntropyLoss> plain;
  const Steps<Weighted> ignores;
  const double good[] = {2, 0, 1, 0}, large[] = {0, 3, 1, 0}, broken[] = {0, 1, 0.5, 0}, negative[] = {0, 1, 2, -1};
  const double missing[] = {0, 1, 2, std::numeric_limits<double>::quiet_NaN()};
  CHECK(plain.first_wrong(good) == -1);
  CHECK(plain.first_wrong(large) == 1);
  CHECK(plain.first_wrong(broken) == 2);
  CHECK(plain.first_wrong(negative) == 3);
  CHECK(plain.first_wrong(missing) == 3);
  CHECK(plain.first_wrong(some_ignored.data()) == 1);
  CHECK(ignores.first_wrong(some_ignored.data()) == -1);
  CHECK(ignores.first_wrong(large) == 1);
}

TEST_CASE("which positions are right") {
  const Pixels<CrossEntropyLoss> pixels;
  const float y[] = {1, 0, 0, 5, 0, 2, 0, 5, 0, 1, 3, 0}, wanted[] = {0, 1, 1, 1};  // columns are the scores of a pixel
  CHECK(pixels.is_right_at(0, y, wanted));
  CHECK(pixels.is_right_at(1, y, wanted));
  CHECK(!pixels.is_right_at(2, y, wanted));
  CHECK(!pixels.is_right_at(3, y, wanted));  // a tie: the first class
}

TEST_CASE("options are checked") {
  check_refused([] { Steps<CrossEntropyLoss>(CrossEntropyLoss{.label_smoothing = 2}).check(); },
                {"label_smoothing = 2"});
}

namespace {
/// Cross entropy whose backward reads all scores for each number that it writes.
struct OwnCrossEntropy {
  using Target = ClassTarget;
  template <class V>
  SINTER_FN V forward(const V* y, int n, V label) const {
    return CrossEntropyLoss{}.forward(y, n, label);
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, V label, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) {
      V sum(0);
      for (int k = 0; k < n; ++k) sum += fn::exp(y[k] - y[i]);
      dy[i] = scale * (V(1) / sum - fn::select(label == V(static_cast<float>(i)), V(1), V(0)));
    }
  }
};

template <template <class> class Positions, class Row, class Labels>
void check_own() {
  const auto y = closeness::numbers(12, -3, 3);
  std::vector<double> dy(12), want(12);
  Positions<OwnCrossEntropy>().backward(y.data(), 12, labels.data(), 0.7, dy.data());
  Positions<CrossEntropyLoss>().backward(y.data(), 12, labels.data(), 0.7, want.data());
  const Tensor<double, Row> rows(y);
  const Tensor<double, Labels> wanted(labels);
  const auto own = Positions<OwnCrossEntropy>()(rows, wanted), same = Positions<CrossEntropyLoss>()(rows, wanted);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(dy[i] == doctest::Approx(want[i]));
    CHECK(own.gradient.data()[i] == doctest::Approx(same.gradient.data()[i]));
  }
}
}  // namespace

TEST_CASE("a loss of the user's may read scores after it has written gradients") {
  check_own<Steps, Shape<4, 3>, Shape<4>>();
  check_own<Pixels, Shape<3, 2, 2>, Shape<2, 2>>();
}
