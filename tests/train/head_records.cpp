// SPDX-License-Identifier: MIT
// labels: threads large
// What fit records of each head, against sums made by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <sinter/io.hpp>
#include <sinter/report/progress_text.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

using Outputs = Heads<Path<Linear<3>>, Path<Linear<2>>>;
struct Small : Sequential<Input<4>, Linear<8>, Tanh, Outputs> {};
struct Normalized : Sequential<Input<4>, Linear<8>, BatchNorm1d<>, Tanh, Outputs> {};
struct ByTile : Sequential<Input<1, 2, 2>, Conv2d<5, Kernel<2, 1>>, Tanh, Flatten, Outputs> {};
template <class Model>
constexpr bool layered = TilePlan<Model, double, isa::Native>::layered;
static_assert(layered<Small> && !layered<ByTile>);

template <class Model>
constexpr auto plain = head_losses<Model>(CrossEntropyLoss{}, 0.25 * MSELoss{});
template <class Model>
constexpr auto uneven =
    head_losses<Model>(0.5 * WeightedCrossEntropyLoss<3>{.weight = {1, 4, 0.5}, .ignore_index = -1}, 0 * MSELoss{});

constexpr std::size_t rows = 23;
template <class Model>
const auto x = inputs<typename Model::InputRow>(rows);
const auto wanted = [] {
  auto all = inputs<Shape<3>>(rows, 1, 3);
  for (std::size_t i = 0; i < rows; ++i) all(i, 0) = static_cast<float>(i * 7 % 3);
  return all;
}();
const auto partly = [] {  // labels that do not count, among them all of some batches
  auto all = wanted;
  for (std::size_t i = 0; i < rows; ++i)
    if (i < 8 || i % 4 == 0) all(i, 0) = -1;
  return all;
}();
const auto row_weights = [] {
  std::vector<float> all;
  for (std::size_t i = 0; i < rows; ++i) all.push_back(static_cast<float>(1 + i % 3));
  return all;
}();

/// The mean losses of both heads over some rows, by PyTorch's rule: a head with weights of classes divides by these.
template <class Net, class D>
std::array<double, 2> by_hand(const Net& net, const D& data, std::size_t first, std::size_t count, bool weighs) {
  const auto some = subset(data, first, count);
  const auto y = predict(net, some);
  const auto targets = batch_targets(some);
  std::array<double, 2> sums{}, of{};
  for (std::size_t i = 0; i < count; ++i) {
    double target[3];
    targets.copy_row(i, target);
    const double weight = row_weight<double>(targets, i), label = target[0],
                 of_class = !weighs || label == 0 ? 1
                            : label < 0           ? 0
                            : label == 1          ? 4
                                                  : 0.5;
    double scores[3], place[2];
    for (int k = 0; k < 5; ++k)
      (k < 3 ? scores[k] : place[k - 3]) = static_cast<double>(y.data()[5 * i + std::size_t(k)]);
    if (label >= 0) sums[0] += weight * of_class * CrossEntropyLoss{}.forward(scores, 3, label);
    sums[1] += weight * MSELoss{}.forward(place, 2, target + 1);
    of[0] += weight * of_class;
    of[1] += weight;
  }
  return {of[0] > 0 ? sums[0] / of[0] : 0, sums[1] / of[1]};
}

template <class Model, class Device, class D, class Loss>
void check(const Device& device, const D& data, const Loss& loss, std::size_t batch) {
  CAPTURE(batch);
  constexpr bool weighs = WeighsHeads<Loss>;
  const NetworkOptions seed{.seed = 4};
  Network<Model, Device, Float64> net(device, seed), same(device, seed);
  FitOptions<D> options{.batch_size = batch, .epochs = 3, .validation = &data, .shuffle = false};
  const History history = fit(net, data, loss, SGD{.lr = 0.05}, options);
  REQUIRE(history.epochs.size() == 3);
  Trainer trainer{same, loss, SGD{.lr = 0.05}};
  for (const EpochRecord& record : history.epochs) {
    std::array<double, 2> sums{};
    for (std::size_t first = 0; first < rows; first += batch) {
      const std::size_t count = std::min(batch, rows - first);
      // A network that normalizes by the batch is another one in training.
      if constexpr (!std::is_same_v<Model, Normalized>) {
        const auto means = by_hand(same, data, first, count, weighs);
        for (std::size_t h = 0; h < 2; ++h) sums[h] += means[h] * static_cast<double>(count);
      }
      trainer.step(subset(data, first, count));
    }
    REQUIRE(record.heads.size() == 2);
    double whole = 0, whole_of_validation = 0;
    const auto judged = by_hand(same, data, 0, rows, weighs);
    loss.for_each([&](int number, const auto& head) {
      const auto h = static_cast<std::size_t>(number);
      if constexpr (!std::is_same_v<Model, Normalized>)
        CHECK(record.heads[h].train_loss == doctest::Approx(sums[h] / rows));
      CHECK(record.heads[h].validation_loss == doctest::Approx(judged[h]));
      whole += head.weight * record.heads[h].train_loss;
      whole_of_validation += head.weight * record.heads[h].validation_loss;
    });
    CHECK(record.train_loss == doctest::Approx(whole));
    CHECK(record.validation_loss == doctest::Approx(whole_of_validation));
  }
  const auto each = evaluate_heads(net, data, loss);
  CHECK(history.epochs.back().heads[0].validation_accuracy == each[0].accuracy);
  CHECK(!is_finite(history.epochs.back().heads[1].validation_accuracy));
}

template <class Model, class Device>
void check_all(const Device& device) {
  for (const std::size_t batch : {std::size_t{1}, std::size_t{6}, std::size_t{20}, rows}) {
    if (std::is_same_v<Model, Normalized> && batch == 1) continue;
    check<Model>(device, dataset(x<Model>, wanted), plain<Model>, batch);
    check<Model>(device, dataset(x<Model>, wanted, row_weights), plain<Model>, batch);
    check<Model>(device, dataset(x<Model>, partly), uneven<Model>, batch);
    check<Model>(device, dataset(x<Model>, partly, row_weights), uneven<Model>, batch);
  }
}

}  // namespace

TEST_CASE("the losses of an epoch, by the reference") { check_all<Small>(Reference{}); }
TEST_CASE("by threads") {
  for (const int threads : {1, 2, 3}) {
    CAPTURE(threads);
    check_all<Small>(Host{.threads = threads});
  }
  check_all<Normalized>(Host{.threads = 2});
  check_all<ByTile>(Host{.threads = 2});
}

TEST_CASE("of a network that normalizes by the batch, as by the reference") {
  const auto data = dataset(x<Normalized>, wanted);
  const auto run = [&]<class Device>(const Device& device) {
    Network<Normalized, Device, Float64> net(device, {.seed = 4});
    return fit(net, data, plain<Normalized>, SGD{.lr = 0.05}, {.batch_size = 6, .epochs = 2});
  };
  const History got = run(Host{.threads = 2}), expected = run(Reference{});
  for (std::size_t e = 0; e < 2; ++e)
    for (std::size_t h = 0; h < 2; ++h) {
      CHECK(got.epochs[e].heads[h].train_loss == doctest::Approx(expected.epochs[e].heads[h].train_loss));
      CHECK(!is_finite(got.epochs[e].heads[h].validation_loss));
    }
}

TEST_CASE("a network without heads has no records of them") {
  struct Alone : Sequential<Input<4>, Linear<3>> {};
  Network<Alone> net;
  const auto history = fit(net, dataset(x<Alone>, wanted), MSELoss{}, SGD{.lr = 0.01}, {.epochs = 1});
  CHECK(history.epochs[0].heads.empty());
  CHECK(!has(history.csv_text() + history.json_text(), "head"));
}

TEST_CASE("a fit that resumes in the middle of an epoch has the same records") {
  const TemporaryFolder folder;
  const auto data = dataset(x<Small>, wanted);
  struct StopAfter {
    int batches;
    bool on_batch_end(const BatchInfo&) { return --batches != 0; }
  };
  const auto run = [&](auto&&... callbacks) {
    Network<Small> net{NetworkOptions{.seed = 2}};
    FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 5, .epochs = 3, .validation = &data};
    return fit(net, data, plain<Small>, Adam{.lr = 0.01}, options, callbacks...);
  };
  const History whole = run();
  Checkpoint checkpoint{.path = folder / "run", .every = 1, .resume = true};
  CHECK(run(StopAfter{7}, checkpoint).epochs.size() == 1);
  const History resumed = run(checkpoint);
  REQUIRE(resumed.epochs.size() == 3);
  for (std::size_t e = 0; e < 3; ++e)
    for (std::size_t h = 0; h < 2; ++h) {
      const HeadRecord &a = resumed.epochs[e].heads[h], &b = whole.epochs[e].heads[h];
      CHECK(a.train_loss == b.train_loss);
      CHECK(a.validation_loss == b.validation_loss);
      CHECK((h == 1 || a.validation_accuracy == b.validation_accuracy));
    }
}

TEST_CASE("logs and progress tell of each head") {
  const TemporaryFolder folder;
  const auto data = dataset(x<Small>, wanted);
  Network<Small> net{NetworkOptions{.seed = 2}};
  FitOptions<std::remove_const_t<decltype(data)>> options{.batch_size = 5, .epochs = 2, .validation = &data};
  std::ostringstream lines;
  struct Last {
    std::size_t heads = 0;
    HeadRecord place{};
    void on_begin(const TrainingInfo& info) { heads = info.heads; }
    void on_epoch_end(const EpochRecord& record, const History&) { place = record.heads[1]; }
  } last;
  const History history =
      fit(net, data, plain<Small>, SGD{.lr = 0.05}, options, TrainingLog{.path = folder / "run.csv"},
          TrainingLog{.path = folder / "run.jsonl"}, Progress{lines}, last, TensorBoard{.folder = folder / "runs"});
  CHECK(last.heads == 2);
  CHECK(last.place.train_loss == history.epochs[1].heads[1].train_loss);
  CHECK(read_text(folder / "run.csv") == history.csv_text());
  CHECK(has(read_text(folder / "run.jsonl"), detail::json_object(history.epochs[1]) + "\n"));
  const HeadRecord &kind = history.epochs[1].heads[0], &place = history.epochs[1].heads[1];
  const auto text = [](double loss) { return detail::loss_text(loss); };
  CHECK(has(lines.str(), "loss " + text(history.epochs[1].train_loss) + " (" + text(kind.train_loss) + ", " +
                             text(place.train_loss) + ")  validation loss " + text(history.epochs[1].validation_loss) +
                             " (" + text(kind.validation_loss) + ", " + text(place.validation_loss) + ")  accuracy (" +
                             fixed_text(kind.validation_accuracy * 100, 2) + " %, -)\n"));
}
