// SPDX-License-Identifier: MIT
// Losses of users that read other outputs than a row has: what the compiler cannot know is refused before the first step.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "sinter/sinter.hpp"
#include "sinter/train/check_gradient.hpp"
#include "support/error_of.hpp"
#include "support/gaussian_nll.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

template <int Outputs>
struct Net : Sequential<Input<2>, Linear<Outputs>> {};
struct Heads2 : Sequential<Input<2>, Heads<Path<Linear<1>>, Path<Linear<2>>>> {};

/// Of one output, of a row of targets that is longer than it says, and of a label.
struct SecondTarget {
  using Target = RowTarget;
  static constexpr int target_size = 1;
  template <class V>
  SINTER_FN V forward(const V* y, int, const V* target) const {
    return fn::product(y[0], target[1]);
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = i == 0 ? fn::product(scale, target[1]) : V(0);
  }
};
struct AllAndOneMore {
  using Target = ClassTarget;
  template <class V>
  SINTER_FN V forward(const V* y, int n, V) const {
    V sum(0);
    for (int i = 0; i <= n; ++i) sum += y[i];
    return sum;
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, V, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale;
  }
};
/// A row's loss that only judges.
struct Judge {
  using Target = ClassTarget;
  template <class V>
  SINTER_FN V forward(const V* y, int, V) const {
    return y[1];
  }
};
/// Writes the gradient of as many outputs as it is told, and none of the others.
struct WritesSome {
  using Target = RowTarget;
  int count = 1;
  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    return MSELoss{}.forward(y, n, target);
  }
  template <class V>
  SINTER_FN void backward(const V*, int, const V*, V scale, V* dy) const {
    for (int i = 0; i < count; ++i) dy[i] = scale;
  }
};

const Tensor<float, Shape<2>> x{{0, 0, 0, 1, 1, 0, 1, 1}}, two = x;
const Tensor<float, Shape<1>> one{{0.1f, 0.4f, 0.3f, 0.9f}};
const Tensor<float, Shape<3>> three(4);
const std::vector<int> labels{0, 0, 0, 0};

template <int Outputs, class Data, class Loss>
std::string trained(const Data& data, const Loss& loss) {
  Network<Net<Outputs>> net;
  return error_of([&] { fit(net, data, loss, SGD{.lr = 0.1}); });
}

/// Reads y[at], beyond some number, or where it is finite only for large outputs.
struct ReadsFar {
  using Target = RowTarget;
  int at = 600;
  template <class V>
  SINTER_FN V forward(const V* y, int, const V*) const {
    return at > 1 ? y[at] : fn::log(y[0] - V(3)) * y[1];
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V*, V, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = V(0);
  }
};
/// Writes one gradient too many, of any number.
struct WritesNumber {
  using Target = RowTarget;
  double number = 0.625;
  template <class V>
  SINTER_FN V forward(const V* y, int, const V*) const {
    return y[0];
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V*, V scale, V* dy) const {
    dy[0] = scale;
    dy[n] = fn::constant<V>(number);
  }
};
/// Another result for each call.
struct Counting {
  using Target = RowTarget;
  static constexpr const char* name = "Counting";
  mutable int calls = 0;
  template <class V>
  V forward(const V* y, int, const V*) const {
    return y[0] * V(static_cast<float>(++calls));
  }
  template <class V>
  void backward(const V*, int n, const V*, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale;
  }
};

/// Reads the output after one for some outputs, targets or labels alone: `where(y, i, target or label)` says which.
template <class Kind, auto where>
struct ReadsNext {
  using Target = Kind;
  static constexpr const char* name = "ReadsNext";
  template <class V, class Given>
  SINTER_FN V forward(const V* y, int n, Given given) const {
    V sum(0);
    for (int i = 0; i < n; ++i) sum += fn::select(where(y[i], V(static_cast<float>(i)), given, i), y[i + 1], y[i]);
    return sum;
  }
  template <class V, class Given>
  SINTER_FN void backward(const V*, int n, Given, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = scale;
  }
};
constexpr auto after_label = [](auto, auto i, auto label, int) { return label == i; };
constexpr auto after_class = [](auto, auto i, auto target, int) { return target[0] == i; };
constexpr auto where_negative = [](auto y, auto, auto target, int i) { return target[i] < decltype(y)(0); };
constexpr auto where_large = [](auto y, auto, auto target, int i) { return target[i] > decltype(y)(1.5f); };
constexpr auto where_low = [](auto y, auto, auto, int) { return y < decltype(y)(-8); };

/// Whose losses and names are those of the library, and whose rows are not.
struct LongerMSE : MSELoss {
  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    return MSELoss::forward(y, n + 1, target);
  }
};
/// As GaussianNLL, with that number in another type.
template <class Number>
struct TwoOutputs {
  using Target = RowTarget;
  static constexpr Number outputs{2};
  static constexpr int target_size = 1;
  template <class V>
  SINTER_FN V forward(const V* y, int, const V* target) const {
    return y[0] * y[1] - target[0];
  }
  template <class V>
  SINTER_FN void backward(const V* y, int, const V*, V scale, V* dy) const {
    dy[0] = scale * y[1];
    dy[1] = scale * y[0];
  }
};
enum class Two : unsigned char {};
static_assert(outputs_read<TwoOutputs<std::size_t>> == 2 && outputs_read<TwoOutputs<const char>> == 2 &&
              outputs_read<TwoOutputs<Two>> == 2 && outputs_read<MSELoss> == 0);

template <int Outputs>
std::string said_of(auto loss) {
  Network<Net<Outputs>> net;
  return error_of([&] { Trainer(net, loss, SGD{.lr = 0.1}); });
}

}  // namespace

TEST_CASE("so is what is read at any label, at targets of any size, and where outputs are low") {
  CHECK(has(said_of<3>(ReadsNext<ClassTarget, after_label>{}), "3 outputs and reads number 3 "));
  CHECK(has(said_of<6>(ReadsNext<ClassTarget, after_label>{}), "6 outputs and reads number 6 "));
  CHECK(has(said_of<101>(ReadsNext<ClassTarget, after_label>{}), "101 outputs and reads number 101 "));
  CHECK(has(said_of<6>(ReadsNext<RowTarget, after_class>{}), "6 outputs and reads number 6 "));
  CHECK(has(said_of<6>(ReadsNext<RowTarget, where_negative>{}), "6 outputs and reads number 6 "));
  CHECK(has(said_of<6>(ReadsNext<RowTarget, where_large>{}), "6 outputs and reads number 6 "));
  CHECK(has(said_of<6>(ReadsNext<RowTarget, where_low>{}), "6 outputs and reads number 6 "));
}
TEST_CASE("a loss that is derived from one of the library has its own name") {
  CHECK(has(said_of<2>(LongerMSE{}), "LongerMSE was given a row of 2 outputs and reads number 2 "));
}

TEST_CASE("what is read far away, where outputs are large, or written as any number is found; so are two results") {
  Network<Net<1>> net;
  const Tensor<float, Shape<2>> rows(3);
  const Tensor<float, Shape<1>> targets(3);
  const auto said = [&](const auto& loss) {
    return error_of([&] { Trainer(net, loss, SGD{.lr = 0.1}).step(rows, targets); });
  };
  CHECK(has(said(ReadsFar{}), "reads number 600 "));
  CHECK(has(said(ReadsFar{.at = 1}), "reads number 1 "));
  CHECK(has(said(WritesNumber{}), "writes number 1 "));
  CHECK(has(said(WritesNumber{.number = -0.625}), "writes number 1 "));
  CHECK(said(Counting{}) ==
        "Counting gives two results for the same row; a loss depends on its outputs and targets alone");
}

TEST_CASE("a loss that reads more outputs than there are is refused before a step, and says which") {
  const auto data = dataset(x, one);
  const std::string refusal =
      "GaussianNLL was given a row of 1 outputs and reads number 1 (they count from 0); end the network in as many "
      "outputs as the loss reads, and say in the loss how many these are: static constexpr int outputs = 2";
  CHECK(trained<1>(data, GaussianNLL<>{}) == refusal);
  CHECK(trained<2>(data, GaussianNLL<>{}) == "(no error)");
  CHECK(trained<2>(data, GaussianNLLOfTwo{}) == "(no error)");
  CHECK(has(trained<2>(data, GaussianNLL<37>{}), "a row of 2 outputs and reads number 37 "));

  Network<Net<1>> net;
  CHECK(error_of([&] { Trainer(net, GaussianNLL<>{}, SGD{}); }) == refusal);
  CHECK(error_of([&] { evaluate(net, data, GaussianNLL<>{}); }) == refusal);
  CHECK(error_of([&] { fit(net, data, MSELoss{}, SGD{}, {.validation = &data}); }) == "(no error)");
  Ensemble<Net<1>> nets(2);
  CHECK(error_of([&] { fit(nets, data, GaussianNLL<>{}, SGD{}); }) == refusal);
  CHECK(error_of([&] { evaluate(nets, data, GaussianNLL<>{}); }) == refusal);
  CHECK(has(trained<2>(dataset(x, labels), AllAndOneMore{}), "AllAndOneMore was given a row of 2 outputs and reads "));
  CHECK(has(error_of([&] { evaluate(net, dataset(x, labels), Judge{}); }), "a row of 1 outputs and reads number 1 "));
  Network<Net<2>> wider;
  CHECK(error_of([&] { evaluate(wider, dataset(x, labels), Judge{}); }) == "(no error)");
}

TEST_CASE("so is one that reads more targets than it says") {
  const std::string text = trained<2>(dataset(x, one), SecondTarget{});
  CHECK(has(text, "SecondTarget was given a row of 1 targets and reads number 1 (they count from 0)"));
  CHECK(has(text, "static constexpr int target_size = 2"));
}

TEST_CASE("so is a backward that writes more gradients than there are, or fewer") {
  CHECK(has(trained<2>(dataset(x, two), WritesSome{.count = 4}),
            "the backward of WritesSome was given a row of 2 gradients and writes number 3 "));
  CHECK(has(trained<2>(dataset(x, two), WritesSome{.count = 1}),
            "the backward of WritesSome was given a row of 2 gradients and does not set number 1; assign to all n of "
            "them, or say in the loss how many outputs it reads: static constexpr int outputs = 1"));
  CHECK(trained<2>(dataset(x, two), WritesSome{.count = 2}) == "(no error)");
}

TEST_CASE("the loss of a head reads the outputs of that head alone") {
  Network<Heads2> net;
  const auto data = dataset(x, three);
  const auto right = head_losses<Heads2>(MSELoss{}, GaussianNLLOfTwo{});
  const auto wrong = head_losses<Heads2>(GaussianNLL<>{}, MSELoss{});
  CHECK(error_of([&] { fit(net, data, right, SGD{.lr = 0.1}); }) == "(no error)");
  CHECK(has(error_of([&] { fit(net, data, wrong, SGD{.lr = 0.1}); }),
            "GaussianNLL was given a row of 1 outputs and reads number 1 "));
  CHECK(has(error_of([&] { evaluate_heads(net, data, wrong); }), "reads number 1 "));
}

TEST_CASE("check_gradient takes the number of outputs that a loss reads, and finds what it reads besides") {
  const GradientCheck right = check_gradient(GaussianNLLOfTwo{});
  CAPTURE(right.text());
  CHECK(right);
  CHECK(right.difference > 0);
  CHECK(check_gradient(GaussianNLL<>{}, {.outputs = 2}));

  CHECK(error_of([] { check_gradient(GaussianNLLOfTwo{}, {.outputs = 3}); }) ==
        "check_gradient was given outputs = 3 for GaussianNLL, which reads 2; leave out that option, or correct what "
        "the loss says");
  CHECK(check_gradient(TwoOutputs<std::size_t>{}));

  const GradientCheck longer = check_gradient(GaussianNLL<>{}),
                      shorter = check_gradient(GaussianNLL<>{}, {.outputs = 1});
  CHECK_FALSE(longer);
  CHECK(
      longer.text() ==
      "the loss is wrong: the backward of GaussianNLL was given a row of 5 gradients and does not set number 2; assign "
      "to all n of them, or say in the loss how many outputs it reads: static constexpr int outputs = 2");
  CHECK_FALSE(shorter);
  CHECK(has(shorter.text(), "the loss is wrong: GaussianNLL was given a row of 1 outputs and reads number 1 "));
}
