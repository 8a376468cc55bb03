// SPDX-License-Identifier: MIT
// labels: large change sanitized
#include <doctest/doctest.h>

#include <cmath>
#include <sinter/core/random.hpp>
#include <sinter/data/labelled_data.hpp>
#include <sinter/io/any_of.hpp>
#include <sinter/layers/activation.hpp>
#include <sinter/layers/conv1d.hpp>
#include <sinter/layers/linear.hpp>
#include <sinter/loss/cross_entropy.hpp>
#include <sinter/model/sequential.hpp>
#include <sinter/optimizer/sgd.hpp>
#include <sinter/train/any_of.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
template <int Classes>
struct Net : Sequential<Input<2>, Linear<6>, Tanh, Linear<Classes>> {};
struct Wide : Sequential<Input<3>, Linear<4>, Tanh, Linear<2>> {};
using Any = AnyOf<Net<2>, Net<3>, Wide>;

/// Points of a circle in a number of sectors.
LabelledData<float, Shape<2>, int> sectors(int count) {
  std::vector<float> points;
  std::vector<int> labels;
  for (int i = 0; i < 60; ++i) {
    points.push_back(std::cos(0.1f * static_cast<float>(i)));
    points.push_back(std::sin(0.1f * static_cast<float>(i)));
    labels.push_back(i * count / 60);
  }
  return {points, labels};
}
std::vector<float> weights(const Any& any) {
  return any.run([](const auto& net) {
    const auto& arena = net.to_host();
    return std::vector<float>(arena.data(), arena.data() + arena.size());
  });
}
const CrossEntropyLoss loss{};
const SGD sgd{.lr = 0.1, .momentum = 0.9};
}  // namespace

TEST_CASE("chosen by number or by sizes; what there is not is said") {
  CHECK(Any(1).output_size() == 3);
  CHECK(Any({.outputs = 3}).index() == 1);
  CHECK(Any({.outputs = 2}).index() == 0);
  CHECK(Any({.inputs = 3}).index() == 2);
  CHECK(Any({.inputs = 3, .outputs = 2}).input_size() == 3);
  CHECK(Any(NetworkSizes{}).index() == 0);
  const std::string there = "0: 2 inputs, 2 outputs; 1: 2 inputs, 3 outputs; 2: 3 inputs, 2 outputs";
  CHECK(error_of([] { Any(std::size_t{3}); }) ==
        "network 3 of 3 was asked for, and they are numbered from 0; there are " + there);
  CHECK(error_of([] { Any({.outputs = 5}); }) ==
        "a network with any number of inputs and 5 outputs was asked for; there are " + there +
            "; add one to the AnyOf, or ask for one of these");
  CHECK(error_of([] { Any({.inputs = 3, .outputs = 3}); }).find("with 3 inputs and 3 outputs was") !=
        std::string::npos);
}

TEST_CASE("a value: copies are independent, and options and devices arrive") {
  Any one({.outputs = 3}, {.seed = 7});
  const Network<Net<3>> same{{.seed = 7}};
  CHECK(weights(one) == weights(Any(same)));
  const Any copy = one;
  one.run([](auto& net) { net.data()[0] += 1; });
  CHECK(weights(one) != weights(copy));
  one = copy;
  CHECK(weights(one) == weights(copy));
  one = Any(0);
  CHECK(one.output_size() == 2);
  const auto threads = [](const auto& net) { return net.device().pool.size(); };
  const Any two(1, Host{.threads = 2}, {.seed = 7});
  CHECK(two.run(threads) == 2);
  CHECK(weights(two) == weights(copy));
  CHECK(two.fresh(0).run(threads) == 2);
  CHECK(weights(two.fresh(0)) == weights(Any(0, {.seed = 7})));
  CHECK(AnyOf<Network<Net<2>, Reference, Float64>, Net<3>>(0).run([](auto& net) { return net.parameters().size(); }) ==
        4);
}

TEST_CASE("trained, judged and asked as the network itself, bit for bit") {
  const auto data = sectors(3);
  Any any({.outputs = class_count(data)}, {.seed = 3});
  Network<Net<3>> net{{.seed = 3}};
  const FitOptions<LabelledData<float, Shape<2>, int>> options{.batch_size = 7, .epochs = 20, .validation = &data};
  const History history = fit(any, data, loss, sgd, options), want = fit(net, data, loss, sgd, options);
  CHECK(weights(any) == weights(Any(net)));
  REQUIRE(history.epochs.size() == 20);
  CHECK(history.epochs.back().validation_loss == want.epochs.back().validation_loss);
  CHECK(history.epochs.back().validation_accuracy > 0.9);
  CHECK(score(any, data) == score(net, data));
  CHECK(evaluate(any, data, loss).loss == evaluate(net, data, loss).loss);
  const auto y = predict(any, data);
  const auto wanted = predict(net, data);
  REQUIRE((y.rows == 60 && y.columns == 3));
  for (std::size_t i = 0; i < 60; ++i)
    for (int k = 0; k < 3; ++k) CHECK(y(i, k) == wanted(i, k));

  const auto inputs = data.inputs();
  const auto identity = dataset(inputs, inputs);  // targets are rows of 2
  const Network<Net<2>> plain{{.seed = 3}};
  CHECK(regression(Any(0, {.seed = 3}), identity).r2 == regression(plain, identity).r2);
  CHECK(
      error_of([&] { regression(any, identity); }) ==
      "regression was given rows of 2 numbers with targets of 2, and the network chosen, number 1, has 2 inputs and 3 "
      "outputs, or another shape of as many; choose the network by the rows");
}

namespace {
/// Of two outputs and more the distance of the first one from the target.
struct FirstOutput {
  static constexpr int target_size = 1;
  using Target = RowTarget;
  [[maybe_unused]] static constexpr const char* name = "FirstOutput";
  template <class V>
  SINTER_FN V forward(const V* y, int, const V* target) const {
    return fn::product(y[0] - target[0], y[0] - target[0]);
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = V(0);
    dy[0] = fn::product(scale, V(2) * (y[0] - target[0]));
  }
};
/// The same of the first two.
struct FirstTwo : FirstOutput {
  static constexpr int target_size = 2;
};
}  // namespace

TEST_CASE("targets are rows as the loss reads them") {
  const auto data = sectors(3);
  const Tensor<float, Shape<1>> one(std::vector<float>(60, 0.5f));
  const auto narrow = dataset(data.inputs(), one);
  Any any(1, {.seed = 3});
  Network<Net<3>> net{{.seed = 3}};
  CHECK(fit(any, narrow, FirstOutput{}, sgd, {.epochs = 3}).epochs.back().train_loss ==
        fit(net, narrow, FirstOutput{}, sgd, {.epochs = 3}).epochs.back().train_loss);
  CHECK(weights(any) == weights(Any(net)));
  CHECK(evaluate(any, narrow, FirstOutput{}).loss == evaluate(net, narrow, FirstOutput{}).loss);

  // A network with fewer outputs than the loss has targets is one that does not read them.
  const auto pairs = dataset(data.inputs(), data.inputs());
  AnyOf<Net<1>, Net<3>> others(1);
  CHECK(evaluate(others, pairs, FirstTwo{}).loss > 0);
  others = AnyOf<Net<1>, Net<3>>(0);
  CHECK(error_of([&] { evaluate(others, pairs, FirstTwo{}); }) ==
        "evaluate was given rows of 2 numbers with targets of 2, and the network chosen, number 0, has 2 inputs and 1 "
        "outputs, or another shape of as many; choose the network by the rows");
}

TEST_CASE("rows and labels that the network chosen does not fit") {
  const auto data = sectors(3);
  Any wide({.inputs = 3});
  const auto refusal = [&](auto&& action) { return error_of(action); };
  const std::string rest =
      " was given rows of 2 numbers, and the network chosen, number 2, has 3 inputs and 2 outputs, "
      "or another shape of as many; choose the network by the rows";
  CHECK(refusal([&] { fit(wide, data, loss, sgd); }) == "fit" + rest);
  CHECK(refusal([&] { score(wide, data); }) == "score" + rest);
  CHECK(refusal([&] { evaluate(wide, data, loss); }) == "evaluate" + rest);
  CHECK(refusal([&] { predict(wide, data); }) == "predict" + rest);
  Any two(0);
  CHECK(refusal([&] { fit(two, data, loss, sgd); }).find("row 40 of the labels is 2, expected 0 to 1") == 0);
}

namespace {
template <int Length>
struct Wave : Sequential<Input<1, Length>, Conv1d<2, 3>> {};
}  // namespace

TEST_CASE("of networks of convolutions a file chooses the one of its size of inputs, else the one at hand") {
  const auto file = save_bytes(Network<Wave<16>>{{.seed = 1}});
  AnyOf<Wave<8>, Wave<16>> any(0);
  CHECK(load(any, file).self_tested);
  CHECK(any.index() == 1);
  AnyOf<Wave<8>, Wave<12>> others(1);
  CHECK(load(others, file).self_test_skipped == "the self-test has inputs of 16 numbers, and this network has 12");
  CHECK(others.index() == 1);
}

TEST_CASE("a file chooses the network that it was saved from; one that fits none says why for each") {
  const TemporaryFolder folder;
  const std::string path = folder / "net.safetensors";
  const auto data = sectors(3);
  Any saved({.outputs = 3}, {.seed = 9});
  fit(saved, data, loss, sgd);
  save(saved, path, {.classes = {"a", "b", "c"}});

  Any any(0, {.seed = 1});
  const Loaded loaded = load(any, path);
  CHECK(loaded.self_tested);
  CHECK(loaded.about.classes.size() == 3);
  CHECK(any.index() == 1);
  CHECK(weights(any) == weights(saved));
  Any again(1);  // the one at hand fits
  load(again, path);
  CHECK(weights(again) == weights(saved));

  AnyOf<Net<2>, Wide> others(1, {.seed = 4});
  CHECK(rename_in(error_of([&] { load(others, path); }), path, "FILE") ==
        "FILE fits none of 2 networks; add the one that it was saved from to the AnyOf:\n"
        "  0: unlike: 2.weight [3, 6], expected [2, 6], 2.bias [3], expected [2]\n"
        "  1: unlike: 0.weight [6, 2], expected [4, 3], 0.bias [6], expected [4], 2.weight [3, 6], expected [2, 4], "
        "2.bias [3], expected [2]");
  CHECK(others.index() == 1);
  Any partial(0);
  const Loaded part = load(partial, path, {.partial = true});
  CHECK(partial.index() == 0);
  CHECK(part.taken.size() == 2);
  CHECK(part.unlike.size() == 2);

  std::string damaged = read_text(path);
  damaged[damaged.size() - 2] = static_cast<char>(damaged[damaged.size() - 2] ^ 0x7f);  // a weight
  write_bytes(path, damaged);
  CHECK(has(error_of([&] { load(partial, path); }), "has a wrong checksum"));
  CHECK(error_of([&] { load(partial, path, {.checksum = false}); }) != "(no error)");
  CHECK(partial.index() == 0);
}
