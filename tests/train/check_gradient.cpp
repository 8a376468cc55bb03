// SPDX-License-Identifier: MIT
#include "sinter/train/check_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

/// -log p (1 - p)^2 of the softmax p of the label. `Wrong` plants a mistake.
template <int Wrong = 0>
struct Focal {
  using Target = ClassTarget;
  static constexpr const char* name = "Focal";

  template <class V>
  static V share(const V* y, int n, V label, V* p) {
    fn::Softmax::forward(y, p, n);
    V of_label(0);
    for (int i = 0; i < n; ++i) of_label += fn::select(label == V(static_cast<scalar_of<V>>(i)), p[i], V(0));
    return of_label;
  }
  template <class V>
  V forward(const V* y, int n, V label) const {
    V p[16];
    const V q = share(y, n, label, p);
    return -fn::log(q) * (V(1) - q) * (V(1) - q);
  }
  template <class V>
  void backward(const V* y, int n, V label, V scale, V* dy) const {
    V p[16];
    const V q = share(y, n, label, p), rest = V(1) - q;
    // dL/dq q: each dy_i = that ([i = label] - p_i)
    V slope = V(2) * q * fn::log(q) * rest - rest * rest;
    if (Wrong == 1) slope = -rest * rest;  // forgets that (1 - q)^2 changes too
    if (Wrong == 2) scale = V(1);
    if (Wrong == 3 && is_pack<V>) slope = slope * V(2);
    for (int i = 0; i < (Wrong == 4 ? n - 1 : n); ++i)
      dy[i] = scale * slope * (fn::select(label == V(static_cast<scalar_of<V>>(i)), V(1), V(0)) - p[i]);
  }
};

template <bool Wrong>
struct SineFunction {
  static constexpr const char* name = "Sine";
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return std::sin(x); }
  static double backward(double x, double dy) { return dy * (Wrong ? std::sin(x) : std::cos(x)); }
};
struct FloatFunction {
  static constexpr bool backward_reads_output = false;
  static float forward(float x) { return x * x; }
  static float backward(float x, float dy) { return 2 * dy * x; }
};
struct SaysOutput : fn::Silu {
  static constexpr bool backward_reads_output = true;  // which is not what its backward is written for
};

template <class F>
struct Waves : Sequential<Input<3>, Linear<6>, Activation<F>, Linear<4>, BatchNorm1d<>, Residual<Path<Linear<4>, Tanh>>,
                          Dropout<0.4>, Linear<2>, LogSoftmax> {};
struct Image
    : Sequential<Input<2, 6, 6>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, MaxPool2d<2>, Dropout2d<0.3>, Flatten, Linear<3>> {
};
struct Categories : Sequential<Input<3>, Embedding<7, 2>, Flatten, Linear<3>> {};

/// A loss that reads the output behind that of the label, with the gradient of one that does not.
struct ReadsNext {
  using Target = ClassTarget;
  static constexpr const char* name = "ReadsNext";

  template <class V>
  V forward(const V* y, int n, V label) const {
    V loss(0);
    for (int i = 0; i < n; ++i)
      loss += fn::select(label == V(static_cast<scalar_of<V>>(i)), y[i] + V(0) * y[i + 1], V(0));
    return loss;
  }
  template <class V>
  void backward(const V*, int n, V label, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = fn::select(label == V(static_cast<scalar_of<V>>(i)), scale, V(0));
  }
};

/// y_0 = x_0, y_i = x_i - x_(i - 1) along a row. `Wrong` plants a mistake.
template <int Wrong>
struct Differences {
  static constexpr const char* name = "Differences";

  template <class V>
  static void forward(const V* x, V* y, int n) {
    if (Wrong == 3) y[n] = x[0];
    y[0] = Wrong == 2 ? x[0] + V(0) * x[n] : x[0];
    for (int i = 1; i < (Wrong == 4 ? n - 1 : n); ++i) y[i] = x[i] - x[i - 1];
  }
  template <class V>
  static void backward(const V* y, V* dy, int n) {
    for (int i = 0; i + 1 < n; ++i) dy[i] = Wrong == 1 ? dy[i] + dy[i + 1] : dy[i] - dy[i + 1];
    if (Wrong == 5) dy[0] = dy[0] + V(0) * y[-1];
  }
};
template <int Wrong>
struct OfRows : Sequential<Input<2>, Linear<3>, RowActivation<Differences<Wrong>>, Linear<2>, Softmax> {};

}  // namespace

TEST_CASE("losses of the library and a right one of a user pass") {
  const auto check = [](const auto& loss) {
    const GradientCheck found = check_gradient(loss);
    CAPTURE(found.text());
    CHECK(found);
    CHECK(found.difference > 0);  // something was compared
    CHECK(found.difference < 1e-7);
  };
  check(CrossEntropyLoss{.label_smoothing = 0.1});
  check(WeightedCrossEntropyLoss<3>{.weight = {1, 2, 3}});
  check(MSELoss{});
  check(HuberLoss{.delta = 0.5});
  check(BCEWithLogitsLoss{.pos_weight = 2});
  check(KLDivLoss{});
  check(Focal<>{});
}

TEST_CASE("a wrong backward of a loss is caught, and said where") {
  const GradientCheck wrong = check_gradient(Focal<1>{});
  CHECK_FALSE(wrong);
  CHECK(wrong.difference > 0.01);
  CHECK(has(wrong.text(), "the gradient is wrong: the backward of Focal, output "));
  CHECK(has(wrong.text(), " was given, "));
  const GradientCheck unscaled = check_gradient(Focal<2>{});
  CHECK_FALSE(unscaled);
  CHECK(has(unscaled.text(), "scale = "));
  const GradientCheck in_packs = check_gradient(Focal<3>{});
  CHECK_FALSE(in_packs);
  CHECK(has(in_packs.text(), "in a pack, compared with a single row"));
  const GradientCheck short_one = check_gradient(Focal<4>{}, {.outputs = 3});
  CHECK_FALSE(short_one);
  CHECK(has(short_one.text(), "the backward of Focal was given a row of 3 gradients and does not set number 2"));
}

TEST_CASE("a loss of positions is tried on the row of one") {
  struct Series : Sequential<Input<2, 4>, Conv1d<3, 1>> {};
  CHECK(check_gradient(at_each_pixel<Series>(Focal<>{})));
  const GradientCheck wide = check_gradient(at_each_pixel<Series>(ReadsNext{}));
  CHECK_FALSE(wide);
  CHECK(has(wide.text(), "the loss is wrong: ReadsNext was given a row of 3 outputs and reads number 3"));
}

TEST_CASE("functors of rows: right, wrong, and those that read or write beside their row") {
  CHECK(check_gradient(fn::Softmax{}));
  CHECK(check_gradient(fn::LogSoftmax{}));
  CHECK(check_gradient(Differences<0>{}));
  const GradientCheck wrong = check_gradient(Differences<1>{});
  CHECK_FALSE(wrong);
  CHECK(has(wrong.text(), "the gradient is wrong: the backward of Differences, number "));
  const auto fault = [](const GradientCheck& check) { return check.text(); };
  CHECK(fault(check_gradient(Differences<2>{}, {.outputs = 4})) ==
        "a functor is wrong: the forward of Differences was given a row of 4 numbers and reads number 4 (they count "
        "from 0); let it read and write numbers 0 to n - 1, all of them");
  CHECK(has(fault(check_gradient(Differences<3>{})),
            "the forward of Differences was given a row of 5 numbers and writes "
            "number 5"));
  CHECK(has(fault(check_gradient(Differences<4>{})),
            "the forward of Differences was given a row of 5 numbers and does "
            "not set number 4"));
  CHECK(has(fault(check_gradient(Differences<5>{})),
            "the backward of Differences was given a row of 5 numbers and reads "
            "number -1"));
}

TEST_CASE("a Trainer refuses such a functor of rows, and check_gradient a model with one") {
  Network<OfRows<2>> net;
  CHECK(has(error_of([&] { Trainer(net, MSELoss{}, SGD{}); }),
            "the forward of Differences was given a row of 3 numbers "
            "and reads number 3"));
  CHECK(has(check_gradient<OfRows<2>>().text(), "a functor is wrong: the forward of Differences"));
  CHECK(check_gradient<OfRows<0>>());
  Network<OfRows<0>> right;
  Trainer(right, MSELoss{}, SGD{});
}

TEST_CASE("functors: right, wrong, and one that says that its backward gets the other number") {
  CHECK(check_gradient(SineFunction<false>{}));
  CHECK(check_gradient(fn::GeluTanh{}));
  CHECK(check_gradient(FloatFunction{}));
  const GradientCheck wrong = check_gradient(SineFunction<true>{});
  CHECK_FALSE(wrong);
  CHECK(has(wrong.text(), "the gradient is wrong: the backward of Sine at x = "));
  CHECK_FALSE(check_gradient(SaysOutput{}));
}

TEST_CASE("models: all parameters and inputs, masks and statistics of the batch included") {
  const GradientCheck right = check_gradient<Waves<SineFunction<false>>>(), image = check_gradient<Image>();
  CAPTURE(right.text());
  CAPTURE(image.text());
  CHECK(right);
  CHECK(image);
  CHECK(has(right.text(), "the gradient is right: the largest difference is "));
  const GradientCheck wrong = check_gradient<Waves<SineFunction<true>>>();
  CHECK_FALSE(wrong);
  CAPTURE(wrong.text());
  CHECK((has(wrong.where, "the gradient of 0.") || has(wrong.where, "the gradient of the input, element ")));
  CHECK(check_gradient<Categories>(Tensor<float, Shape<3>>{{0, 1, 6, 2, 2, 5}}));
}

TEST_CASE("options that would compare nothing, or anything, are refused") {
  const auto refused = [](const GradientCheckOptions& options) {
    return error_of([&] { check_gradient<Image>(options); });
  };
  const std::string nothing =
      "check_gradient was given rows = 0 and most = 50; give 1 or more of each, or nothing is compared";
  CHECK(refused({.rows = 0}) == nothing);
  CHECK(error_of([] { check_gradient(MSELoss{}, {.rows = 0}); }) == nothing);
  CHECK(has(refused({.most = 0}), "most = 0"));
  CHECK(refused({.tolerance = NAN}) ==
        "check_gradient was given tolerance = nan, expected a finite number of 0 or more");
  CHECK(has(refused({.tolerance = INFINITY}), "tolerance = inf"));
  CHECK(has(refused({.tolerance = -1}), "tolerance = -1"));
  CHECK(has(refused({.rows = static_cast<std::size_t>(-1)}), "give at most 1000000"));
  CHECK(has(error_of([] {
              check_gradient<Waves<SineFunction<false>>>(Tensor<double, Waves<SineFunction<false>>::InputRow>{
                  std::vector<double>(Waves<SineFunction<false>>::InputRow::size, NAN)});
            }),
            "row 0, feature 0 of the inputs is nan"));
  CHECK(error_of([] { check_gradient(MSELoss{}, {.outputs = 0}); }) ==
        "check_gradient was given outputs = 0; give 1 or more");
  CHECK(error_of([] { check_gradient<Categories>(Tensor<float, Shape<3>>(0)); }) ==
        "check_gradient was given 0 rows of inputs; give 1 or more");
}
