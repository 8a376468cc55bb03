// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<4>, Linear<8>, Dropout<0.2>, ReLU, Linear<3>, LogSoftmax> {};
struct Plain : Sequential<Input<4>, Linear<3>, LogSoftmax> {};
struct Wide : Sequential<Input<4>, Linear<3>> {};

/// The loss of each step, as the trainer has it.
struct StepLosses {
  std::vector<float> seen;
  template <class Trainer, class Numbers>
  void on_snapshot(const Trainer& trainer, bool, bool, const Numbers&) {
    seen.push_back(trainer.loss());
  }
  void on_end(const History&) const {}
};

/// Points around three corners, which a line tells apart.
struct Corners {
  Tensor<float, Shape<4>> x;
  std::vector<int> labels;
  explicit Corners(std::size_t rows, unsigned seed = 1) : x(rows) {
    Draw draw(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(static_cast<int>(i * 7 % 3));
      for (int k = 0; k < 4; ++k) x(i, k) = static_cast<float>(draw.symmetric(0.4)) + (k == labels[i] ? 1.f : 0.f);
    }
  }
  auto data() const { return dataset(x, labels); }
};

/// A loss whose gradient is the target, so that data say what a step meets.
struct TargetIsGradient {
  using Target = RowTarget;
  template <class V>
  SINTER_FN V forward(const V*, int, const V*) const {
    return V(1);
  }
  template <class V>
  SINTER_FN void backward(const V*, int n, const V* target, V scale, V* dy) const {
    for (int i = 0; i < n; ++i) dy[i] = fn::product(scale, target[i]);
  }
};
struct Perceptron : Sequential<Input<4>, Linear<6>, ReLU, Linear<3>> {};
struct Image : Sequential<Input<1, 2, 2>, Conv2d<3, 1>, Flatten, Linear<3>> {};

}  // namespace

TEST_CASE("fit learns, and its history says how") {
  const Corners train(200), test(60, 2);
  const auto rows = train.data(), held_out = test.data();
  Network<Net> net{{.seed = 3}};
  const History history = fit(net, rows, NLLLoss{}, SGD{.lr = 0.2, .momentum = 0.5},
                              {.batch_size = 16, .epochs = 20, .validation = &held_out});
  REQUIRE(history.epochs.size() == 20);
  CHECK(history.stopped.empty());
  CHECK(history.samples_per_epoch == 200);
  const auto& last = history.epochs.back();
  CHECK(last.epoch == 20);
  CHECK(last.learning_rate == 0.2);
  CHECK(last.seconds > 0);
  CHECK(last.train_loss < 0.3 * history.epochs.front().train_loss);
  CHECK(last.validation_accuracy > 0.95);
  const auto [loss, accuracy] = evaluate(net, held_out, NLLLoss{});
  CHECK(last.validation_loss == loss);
  CHECK(last.validation_accuracy == accuracy);
}

TEST_CASE("fit is the loop one would write with Trainer, over the order that Permutation gives") {
  const Corners corners(50);
  Network<Plain> by_fit{{.seed = 4}}, by_hand{{.seed = 4}};
  StepLosses by_step;
  std::vector<float> losses;
  const History history =
      fit(by_fit, corners.data(), NLLLoss{}, Adam{.lr = 0.01}, {.batch_size = 12, .epochs = 3}, by_step);

  Trainer trainer{by_hand, NLLLoss{}, Adam{.lr = 0.01}};
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    const Permutation order(50, 4, epoch);
    double sum = 0;
    for (std::size_t first = 0; first < 50; first += 12) {
      const std::size_t count = std::min<std::size_t>(12, 50 - first);  // the last batch has 2 rows, and their mean
      Tensor<float, Shape<4>> x(count);
      std::vector<int> labels;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = order(first + i);
        std::copy_n(corners.x.data() + row * 4, 4, x.data() + i * 4);
        labels.push_back(corners.labels[row]);
      }
      losses.push_back(trainer.step(x, labels));
      sum += static_cast<double>(losses.back()) * static_cast<double>(count);
    }
    CHECK(history.epochs[epoch].train_loss == sum / 50);
  }
  CHECK(same(weights(by_fit), weights(by_hand)));
  REQUIRE(by_step.seen.size() == losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) CHECK(by_step.seen[i] == doctest::Approx(losses[i]).epsilon(1e-6));
}

TEST_CASE("each row is seen once an epoch, in another order each time; unshuffled in theirs") {
  // Each row has a feature of its own, whose weight moves when it is seen: batches of one row.
  struct Count : Sequential<Input<6>, Linear<1, NoBias>> {};
  Tensor<float, Shape<6>> x(6);
  Tensor<float, Shape<1>> wanted(6);
  for (int i = 0; i < 6; ++i) x(static_cast<std::size_t>(i), i) = 1;
  struct Watch {
    const Network<Count>* net;
    std::vector<int> seen{};
    std::vector<float> before{};
    void on_begin(const TrainingInfo&) { before.assign(net->data(), net->data() + 6); }
    void on_batch_end(const BatchInfo&) {
      for (int i = 0; i < 6; ++i)
        if (net->data()[i] != before[static_cast<std::size_t>(i)]) seen.push_back(i);
      before.assign(net->data(), net->data() + 6);
    }
  };
  const auto orders = [&](bool shuffle) {
    Network<Count> net;
    Watch watch{&net};
    fit(net, dataset(x, wanted), MSELoss{}, SGD{.lr = 0.1}, {.batch_size = 1, .epochs = 3, .shuffle = shuffle}, watch);
    return watch.seen;
  };
  const auto shuffled = orders(true), plain = orders(false);
  CHECK(plain == std::vector<int>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  REQUIRE(shuffled.size() == 18);
  std::set<std::vector<int>> epochs;
  for (std::ptrdiff_t first = 0; first < 18; first += 6) {
    const std::vector<int> epoch(shuffled.begin() + first, shuffled.begin() + first + 6);
    CHECK(std::set<int>(epoch.begin(), epoch.end()).size() == 6);
    epochs.insert(epoch);
  }
  CHECK(epochs.size() == 3);
}

TEST_CASE("threads, and stopping and going on, change no bit") {
  const Corners corners(70);
  const auto fitted = [&](int threads, std::vector<int> parts) {
    Network<Net> net{Host{.threads = threads}, {.seed = 6}};
    int first = 0;
    for (const int epochs : parts) {
      fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 16, .epochs = epochs, .first_epoch = first});
      first += epochs;
    }
    return weights(net);
  };
  const auto want = fitted(1, {4});
  for (const int threads : {2, 3, 7}) CHECK(same(fitted(threads, {4}), want));
  CHECK(same(fitted(1, {1, 3}), want));
  CHECK(!same(fitted(1, {3}), want));
}

TEST_CASE("masks go by the row of the dataset, not by its place in a batch") {
  const Corners corners(24);
  const auto loss = [&](std::size_t batch_size) {
    Network<Net> net;
    return fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0}, {.batch_size = batch_size, .epochs = 1})
        .epochs[0]
        .train_loss;
  };
  CHECK(loss(24) == doctest::Approx(loss(5)).epsilon(1e-6));
}

TEST_CASE("callbacks: each is called, and one may stop") {
  const Corners corners(20);
  struct Everything {
    std::vector<std::string> calls{};
    void on_begin(const TrainingInfo& info) {
      CHECK(info.note == Host{}.note());  // not empty where it is compiled without optimisation
      calls.push_back("begin " + std::to_string(info.epochs) + " " + std::to_string(info.samples) + " " +
                      std::to_string(info.batch_size) + " " + info.device + " " + std::to_string(info.parameters));
    }
    void on_batch_end(const BatchInfo& info) {
      calls.push_back("batch " + std::to_string(info.epoch) + " " + std::to_string(info.samples_done));
    }
    bool on_epoch_end(const EpochRecord& record, const History& history) {
      calls.push_back("epoch " + std::to_string(record.epoch) + " " + std::to_string(history.epochs.size()));
      return record.epoch < 2;
    }
    void on_end(const History& history) { calls.push_back("end " + history.stopped); }
  } all;
  Network<Plain> net;
  const History history = fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 9}, all);
  CHECK(all.calls == std::vector<std::string>{"begin 9 20 8 host 15", "batch 1 8", "batch 1 16", "batch 1 20",
                                              "epoch 1 1", "batch 2 8", "batch 2 16", "batch 2 20", "epoch 2 2",
                                              "end a callback asked for it (after epoch 2)"});
  CHECK(history.epochs.size() == 2);
}

TEST_CASE("a callback that returns false at the end of a batch ends the training there") {
  const Corners corners(20);
  struct Stops {
    int batches = 0;
    std::string end{};
    bool on_batch_end(const BatchInfo&) { return ++batches < 5; }
    std::string reason() const { return "five batches"; }
    void on_end(const History& history) { end = history.stopped; }
  } stops;
  Network<Plain> net, same_steps;
  const History history = fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 9}, stops);
  CHECK(stops.batches == 5);
  CHECK(history.epochs.size() == 1);
  CHECK(history.stopped == "five batches (after 16 rows of epoch 2)");
  CHECK(stops.end == history.stopped);

  stops = {.batches = -1};  // the last batch of an epoch: it is whole
  const History whole =
      fit(same_steps, corners.data(), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 9}, stops);
  CHECK(whole.epochs.size() == 2);
  CHECK(whole.stopped == "five batches (after 20 rows of epoch 2)");
}

TEST_CASE("validation data may be of another type than the training data") {
  const Corners train(60), test(30, 2);
  std::vector<double> inputs;
  for (const float x : test.x.values()) inputs.push_back(x);
  const TensorView<const double, Shape<4>> rows{inputs.data(), 30};
  const auto doubles = dataset(rows, test.labels);
  const auto floats = test.data();
  const auto validated = [&](const auto& by) {
    Network<Plain> net;
    return fit(net, train.data(), NLLLoss{}, SGD{.lr = 0.1}, {.epochs = 2, .validation = &by}).epochs[1];
  };
  CHECK(validated(doubles).validation_loss == validated(floats).validation_loss);
  CHECK(validated(doubles).validation_accuracy == validated(floats).validation_accuracy);
}

TEST_CASE("validation data may be given without the address") {
  const Corners train(60), test(30, 2);
  const auto rows = train.data(), held_out = test.data();
  const auto validated = [&](const auto& by) {
    Network<Plain> net;
    return fit(net, rows, NLLLoss{}, SGD{.lr = 0.1}, {.validation = by}).epochs[0].validation_loss;
  };
  using Options = FitOptions<std::remove_const_t<decltype(rows)>>;
  Network<Plain> net;
  const Options options{.validation = held_out};
  const double named = fit(net, rows, NLLLoss{}, SGD{.lr = 0.1}, options).epochs[0].validation_loss;
  Network<Plain> other;
  const double temporary =
      fit(other, rows, NLLLoss{}, SGD{.lr = 0.1}, {.validation = test.data()}).epochs[0].validation_loss;
  CHECK(validated(held_out) == validated(&held_out));
  CHECK(named == validated(&held_out));
  CHECK(temporary == validated(&held_out));
  static_assert(!std::is_convertible_v<decltype(test.data()), decltype(Options::validation)>);  // a dangling temporary
}

TEST_CASE("a number that an Embedding has no row for is refused by row and place") {
  struct Rows : Sequential<Input<3>, Embedding<10, 2>, Flatten, Linear<2>> {};
  struct Column
      : Sequential<Input<3>, Concat<Path<Slice<0, 2>>, Path<Slice<2, 1>, Embedding<4, 2>, Flatten>>, Linear<2>> {};
  std::vector<float> x(24, 1.0f);
  const std::vector<int> labels(8);
  const auto rows = dataset(TensorView<const float, Shape<3>>::from(x), labels);
  const auto refused = [&]<class Model>(Model) {
    Network<Model> net;
    return error_of([&] { fit(net, rows, CrossEntropyLoss{}, SGD{}); });
  };
  CHECK(refused(Rows{}) == "(no error)");
  x[22] = 10;
  CHECK(
      refused(Rows{}) ==
      "row 7, feature 1 of the inputs is 10, expected 0 to 9 for the Embedding of layer 0; number the categories from "
      "0, in whole numbers, or give the Embedding more rows");
  CHECK(refused(Column{}) == "(no error)");  // it reads another column
  x[22] = 1, x[5] = 2.5f;
  CHECK(refused(Column{}).starts_with(
      "row 1, feature 2 of the inputs is 2.5, expected 0 to 3 for the Embedding of layer 0"));
  x[5] = -1;
  CHECK(refused(Column{}).starts_with("row 1, feature 2 of the inputs is -1, expected 0 to 3"));
  Network<Column> net;
  std::vector<float> good(24, 1.0f);
  const auto train = dataset(TensorView<const float, Shape<3>>::from(good), labels);
  CHECK(error_of([&] {
          fit(net, train, CrossEntropyLoss{}, SGD{}, {.validation = rows});
        }).starts_with("row 1, feature 2"));

  // A Trainer names it, too, whatever it is given.
  Trainer trainer(net, CrossEntropyLoss{}, SGD{});
  Trainer without_loss(net, SGD{});
  const auto view = TensorView<const float, Shape<3>>::from(x);
  const Tensor<float, Shape<2>> dy(8);
  const auto names_it = [](const auto& call) {
    return error_of(call).starts_with("row 1, feature 2 of the inputs is -1");
  };
  CHECK(names_it([&] { trainer.step(rows); }));
  CHECK(names_it([&] { trainer.step(view, labels); }));
  CHECK(names_it([&] { trainer.accumulate(rows); }));
  CHECK(names_it([&] { trainer.accumulate(view, labels); }));
  CHECK(names_it([&] { without_loss.forward(view); }));
  CHECK(names_it([&] { without_loss.backward(view, dy); }));
  trainer.step(train);
  CHECK(trainer.problem().empty());

  struct Made : Sequential<Input<3>, ReLU, Embedding<4, 2>, Flatten, Linear<2>> {};  // of numbers that layers make
  Network<Made> made;
  Trainer of_made(made, CrossEntropyLoss{}, SGD{});
  x[5] = 4;
  of_made.step(rows);
  CHECK(of_made.problem().ends_with(
      "NaN, infinity and numbers too large to be squared and for numbers that an Embedding has no row for"));
}

TEST_CASE("epochs are numbered from first_epoch on, which is refused where it makes no sense") {
  const Corners corners(20);
  Network<Plain> net;
  const auto go_on = [&](int first) {
    return fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0.1},
               {.batch_size = 10, .epochs = 2, .interval = 1, .first_epoch = first});
  };
  const History history = go_on(5);
  CHECK(history.epochs[0].epoch == 6);
  CHECK(history.epochs[1].epoch == 7);
  CHECK(history.intervals[2].epoch == 7);
  CHECK(has(error_of([&] { go_on(-1); }), "first_epoch = -1; give it the number of epochs before, 0 or more"));
  CHECK(has(error_of([&] { go_on(2147483645); }), "first_epoch = 2147483645"));
}

TEST_CASE("EarlyStopping stops fit, by the validation loss") {
  const Corners train(60), test(30, 2);
  const auto rows = train.data(), held_out = test.data();
  Network<Plain> net;
  EarlyStopping stopping{.patience = 2};
  const History history =
      fit(net, rows, NLLLoss{}, SGD{.lr = 0}, {.batch_size = 10, .epochs = 50, .validation = &held_out}, stopping);
  CHECK(history.epochs.size() == 3);
  CHECK(has(history.stopped, "no better loss for 2 epochs"));
}

TEST_CASE("losses by interval") {
  const Corners corners(50);
  Network<Plain> net;
  const History history =
      fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 10, .epochs = 2, .interval = 2});
  std::vector<std::size_t> at;
  for (const auto& record : history.intervals) {
    at.push_back(static_cast<std::size_t>(record.epoch) * 1000 + record.samples);
    CHECK(is_finite(record.loss));
  }
  CHECK(at == std::vector<std::size_t>{1020, 1040, 2020, 2040});
}

TEST_CASE("what makes no sense is refused before anything happens") {
  Corners corners(10);
  Network<Plain> net;
  const auto before = weights(net);
  const auto refusal = [&](FitOptions<decltype(corners.data())> options) {
    return error_of([&] { fit(net, corners.data(), NLLLoss{}, SGD{.lr = 0.1}, options); });
  };
  CHECK(has(refusal({.batch_size = 0}), "batch_size = 0"));
  CHECK(has(refusal({.epochs = -1}), "epochs = -1"));
  CHECK(refusal({.epochs = 0}) == "(no error)");
  CHECK(refusal({.batch_size = 11, .drop_last = true}) ==
        "fit was asked to drop the last batch of 10 rows, and there is no other of batch_size = 11; make batches "
        "smaller, or "
        "leave out .drop_last");
  const Corners none(0);
  const auto empty = none.data();
  CHECK(has(error_of([&] { fit(net, empty, NLLLoss{}, SGD{}); }), "0 rows"));
  CHECK(has(refusal({.validation = &empty}), "0 rows"));

  Corners mislabelled(10);
  mislabelled.labels[7] = 3;
  const auto wrong = mislabelled.data();
  CHECK(has(error_of([&] { fit(net, wrong, NLLLoss{}, SGD{}); }), "row 7 of the labels is 3, expected 0 to 2"));
  CHECK(has(refusal({.validation = &wrong}), "row 7"));

  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Corners broken(10);
    broken.x(4, 2) = bad;
    const auto data = broken.data();
    CHECK(has(error_of([&] { fit(net, data, NLLLoss{}, SGD{}); }), "row 4, feature 2 of the inputs is"));
    CHECK(has(refusal({.validation = &data}), "row 4, feature 2"));
  }
  Tensor<float, Shape<3>> targets(10);
  targets(3, 1) = std::numeric_limits<float>::quiet_NaN();
  Network<Wide> wide;
  CHECK(has(error_of([&] { fit(wide, dataset(corners.x, targets), MSELoss{}, SGD{}); }),
            "row 3, feature 1 of the targets"));
  CHECK(has(error_of([&] { fit(net, corners.data(), NLLLoss{}, SGD{.lr = -1}); }), "lr"));
  CHECK(same(weights(net), before));
}

TEST_CASE("a learning rate that is far too large: fit stops with a reason, and leaves sound parameters") {
  struct Deep : Sequential<Input<4>, Linear<16>, ReLU, Linear<16>, ReLU, Linear<3>> {};
  const Corners corners(40);
  Tensor<float, Shape<3>> targets(40);
  Network<Deep> net;
  bool ended = false;
  struct End {
    bool* ended;
    void on_end(const History&) { *ended = true; }
  } end{&ended};
  const History history =
      fit(net, dataset(corners.x, targets), MSELoss{}, SGD{.lr = 1e6}, {.batch_size = 8, .epochs = 30}, end);
  CHECK(history.epochs.size() < 30);
  CHECK(has(history.stopped, "epoch "));
  CHECK(has(history.stopped, "is not finite"));
  CHECK(has(history.stopped, "of step "));
  CHECK(has(history.stopped, "lower the learning rate"));
  CHECK(ended);
  for (const float w : weights(net)) CHECK(is_finite(w));
}

// Consecutive steps check only what the kernels have not seen to be moderate: here after five that were.
TEST_CASE_TEMPLATE("numbers that are too large amidst sound steps", Model, Perceptron, Image) {
  constexpr std::size_t batch = 4, sound = 5, rows = 40;
  const auto data_of = [&](float x, float target, std::size_t count) {
    std::pair<Tensor<float, typename Network<Model>::InputRow>, Tensor<float, Shape<3>>> data{count, count};
    Draw input(5), gradient(6);
    for (std::size_t i = 0; i < count * 4; ++i) data.first.data()[i] = static_cast<float>(input.symmetric(1));
    for (std::size_t i = 0; i < count * 3; ++i) data.second.data()[i] = static_cast<float>(gradient.symmetric(1));
    if (count > sound * batch) {
      data.first.data()[4 * (sound * batch + 1)] = x;
      data.second.data()[3 * (sound * batch + 1)] = target;
    }
    return data;
  };
  const auto trained = [&](const auto& data, History& history, double lr = 0.1) {
    Network<Model> net(NetworkOptions{.seed = 2});
    history = fit(net, dataset(data.first, data.second), TargetIsGradient{}, SGD{.lr = lr, .momentum = 0.9},
                  {.batch_size = batch, .epochs = 1, .shuffle = false});
    return weights(net);
  };
  History history;
  SUBCASE("a gradient that is not finite") {
    const auto before = trained(data_of(0, 0, sound * batch), history);
    CHECK(history.stopped.empty());
    CHECK(same(trained(data_of(2, 3e38f, rows), history), before) == false);  // 3e38 / 4 * 2 is finite: applied
    CHECK(same(trained(data_of(-100, 3e38f, rows), history), before));
    CHECK(has(history.stopped, "a gradient of step 5 is not finite"));
  }
  SUBCASE("an update to weights that are not finite") {
    const auto before = trained(data_of(0, 0, sound * batch), history, 1000);
    CHECK(same(trained(data_of(2, 3e38f, rows), history, 1000), before));
    CHECK(has(history.stopped, "of step 5"));
  }
  SUBCASE("large finite numbers continue as step by step") {
    const auto data = data_of(1, 1e20f, rows);
    const auto by_fit = trained(data, history);
    CHECK(history.stopped.empty());
    Network<Model> net(NetworkOptions{.seed = 2});
    Trainer trainer{net, TargetIsGradient{}, SGD{.lr = 0.1, .momentum = 0.9}};
    for (std::size_t first = 0; first < rows; first += batch) {
      Tensor<float, typename Network<Model>::InputRow> x(batch);
      Tensor<float, Shape<3>> y(batch);
      std::copy_n(data.first.data() + 4 * first, 4 * batch, x.data());
      std::copy_n(data.second.data() + 3 * first, 3 * batch, y.data());
      trainer.step(x, y);
    }
    CHECK(same(weights(net), by_fit));
  }
}

TEST_CASE("weights that one step makes too large are checked in the next") {
  // 7.5e37 in the momentum, and -2.2e38 in a weight, after the step of the large target: one more is too much.
  Tensor<float, Shape<4>> x(40);
  Tensor<float, Shape<3>> y(40);
  for (float& value : x.values()) value = 1;
  y.data()[3 * 21] = 3e38f;
  const auto fitted = [&](std::size_t rows, History& history) {
    Network<Wide> net{{.seed = 2}};
    const auto data = dataset(x, y);
    history = fit(net, subset(data, 0, rows), TargetIsGradient{}, SGD{.lr = 3, .momentum = 0.9},
                  {.batch_size = 4, .epochs = 1, .shuffle = false});
    return weights(net);
  };
  History history;
  const auto before = fitted(24, history);
  CHECK(history.stopped.empty());
  CHECK(*std::min_element(before.begin(), before.end()) < -2e38f);
  CHECK(same(fitted(40, history), before));
  CHECK(has(history.stopped, "of step 6"));
}

TEST_CASE("rows that are held out change nothing, and are not counted") {
  const Corners corners(50);
  const auto all = corners.data();
  auto other = corners;
  for (std::size_t row = 17; row < 30; ++row) {
    for (int k = 0; k < 4; ++k) other.x(row, k) = 9;
    other.labels[row] = 2;
  }
  for (const bool shuffle : {false, true}) {
    Network<Plain> a{{.seed = 4}}, b{{.seed = 4}};
    const History history = fit(a, all, NLLLoss{}, SGD{.lr = 0.1},
                                {.batch_size = 8, .epochs = 3, .held_out = {17, 13}, .shuffle = shuffle});
    CHECK(history.samples_per_epoch == 37);
    fit(b, other.data(), NLLLoss{}, SGD{.lr = 0.1},
        {.batch_size = 8, .epochs = 3, .held_out = {17, 13}, .shuffle = shuffle});
    CHECK(same(weights(a), weights(b)));
  }
  // At the end: training on a slice, in its order.
  Network<Plain> held{{.seed = 4}}, sliced{{.seed = 4}};
  fit(held, all, NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 2, .held_out = {40, 10}});
  fit(sliced, subset(all, 0, 40), NLLLoss{}, SGD{.lr = 0.1}, {.batch_size = 8, .epochs = 2});
  CHECK(same(weights(held), weights(sliced)));
}

TEST_CASE("drop_last beside rows that are held out, weights of rows, and intervals: those of whole batches") {
  const Corners corners(47);
  const auto data = corners.data();
  const FitOptions<std::remove_const_t<decltype(data)>> options{
      .batch_size = 8, .epochs = 2, .held_out = {5, 10}, .drop_last = true, .interval = 2};
  Network<Net> net{{.seed = 3}}, weighed{{.seed = 3}};
  const History history = fit(net, data, NLLLoss{}, SGD{.lr = 0.1}, options);
  CHECK(history.samples_per_epoch == 32);  // of 37
  REQUIRE(history.intervals.size() == 4);
  CHECK(history.intervals[1].samples == 32);
  CHECK(history.epochs[1].train_loss == doctest::Approx((history.intervals[2].loss + history.intervals[3].loss) / 2));
  // Steps that the Trainer makes, where losses are divided by weights.
  const std::vector<float> ones(47, 1);
  const auto with_weights = dataset(corners.x, corners.labels, ones);
  fit(weighed, with_weights, NLLLoss{}, SGD{.lr = 0.1},
      {.batch_size = 8, .epochs = 2, .held_out = {5, 10}, .drop_last = true});
  for (std::size_t i = 0; i < weights(net).size(); ++i)
    CHECK(weights(net)[i] == doctest::Approx(weights(weighed)[i]).epsilon(1e-5));
}

TEST_CASE("rows that are held out validate, and callbacks follow them, unless .validation is given") {
  const Corners corners(50), others(20);
  const auto all = corners.data(), own = others.data();
  const auto held_out = subset(all, 17, 13);
  const auto fitted = [&](const auto* validation, int& stopped, double& rate) {
    Network<Plain> net{NetworkOptions{.seed = 4}};
    EarlyStopping stopping{.patience = 2, .least_gain = 0.01};
    const History history = fit(net, all, NLLLoss{}, SGD{.lr = 40},
                                {.batch_size = 8, .epochs = 30, .validation = validation, .held_out = {17, 13}},
                                ReduceLROnPlateau{.patience = 0}, stopping);
    stopped = static_cast<int>(history.epochs.size());
    rate = history.epochs.back().learning_rate;
    std::vector<double> losses;
    for (const EpochRecord& epoch : history.epochs) losses.push_back(epoch.validation_loss);
    if (!validation) {
      CHECK(history.epochs.back().validation_accuracy == evaluate(net, held_out, NLLLoss{}).accuracy);
      CHECK(losses.back() == evaluate(net, held_out, NLLLoss{}).loss);
    }
    return losses;
  };
  int stopped = 0, stopped_by_given = 0;
  double rate = 0, rate_by_given = 0;
  const auto losses = fitted(static_cast<decltype(&held_out)>(nullptr), stopped, rate);
  CHECK(losses == fitted(&held_out, stopped_by_given, rate_by_given));
  CHECK(stopped == stopped_by_given);
  CHECK(stopped < 30);
  CHECK(rate == rate_by_given);
  CHECK(rate < 40);
  CHECK(losses != fitted(&own, stopped, rate));
}

TEST_CASE("rows that cannot be held out are refused") {
  const Corners corners(10);
  const auto all = corners.data();
  Network<Plain> net;
  const auto hold_out = [&](std::size_t first, std::size_t count) {
    return error_of([&] { fit(net, all, NLLLoss{}, SGD{}, {.held_out = {first, count}}); });
  };
  CHECK(has(hold_out(8, 3), "hold out 3 rows from row 8 of a dataset of 10 rows"));
  CHECK(has(hold_out(11, 0), "from row 11 of a dataset of 10"));
  CHECK(has(hold_out(0, 10), "hold out all 10 rows"));
}
