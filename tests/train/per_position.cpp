// SPDX-License-Identifier: MIT
// labels: threads large
#include "sinter/train/per_position.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/ranks.hpp"
#include "sinter/sinter.hpp"
#include "sinter/train/check_gradient.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

constexpr int steps = 6;
/// Says at each step which of three ranges the number two steps before was in.
struct Tagger : Sequential<Input<steps, 1>, GRU<12>, PositionwiseLinear<3>> {};
/// Says of each pixel whether it is brighter than the one to its left.
struct Segmenter : Sequential<Input<1, 5, 4>, Conv2d<6, 3, Padding<1>>, Tanh, Conv2d<2, 1>> {};
constexpr auto tags = at_each_step<Tagger>(CrossEntropyLoss{});
constexpr auto padded = at_each_step<Network<Tagger>>(WeightedCrossEntropyLoss<3>{.weight = {1, 2, 0.5}});
constexpr auto edges = at_each_pixel<Segmenter>(CrossEntropyLoss{});
static_assert(std::is_same_v<target_row<std::remove_const_t<decltype(edges)>, Segmenter::OutputRow>, Shape<5, 4>>);
static_assert(std::is_same_v<decltype(at_each_pixel<Sequential<Input<3, 8>, Conv1d<2, 1>>>(CrossEntropyLoss{})),
                             PerPosition<Shape<8>, 2, ClassOrder::classes_first, CrossEntropyLoss>>);

struct Sequences {
  Tensor<float, Shape<steps, 1>> x = inputs<Shape<steps, 1>>(90);
  Tensor<float, Shape<steps>> labels, padded_labels;
  Sequences() : labels(90), padded_labels(90) {
    for (std::size_t i = 0; i < 90; ++i)
      for (int t = 0; t < steps; ++t) {
        const float before = t < 2 ? 0.0f : x(i, t - 2, 0);
        labels(i, t) = before < -0.3f ? 0.0f : before < 0.3f ? 1.0f : 2.0f;
        padded_labels(i, t) = t > static_cast<int>(i) % steps ? -100.0f : labels(i, t);
      }
  }
};
struct Images {
  Tensor<float, Shape<1, 5, 4>> x = inputs<Shape<1, 5, 4>>(61);
  Tensor<float, Shape<5, 4>> labels;
  Images() : labels(61) {
    for (std::size_t i = 0; i < 61 * 20; ++i)
      labels.data()[i] = i % 4 > 0 && x.data()[i] > x.data()[i - 1] ? 1.0f : 0.0f;
  }
};

/// What two devices make of the same training in double.
template <class Model, class D, class Loss>
void check_alike(const D& data, const Loss& loss) {
  const auto train = [&]<class Device>(Device device) {
    Network<Model, Device, Float64> net(device, {.seed = 2});
    FitOptions<D> options{.batch_size = 32, .epochs = 3};
    options.validation = &data;
    const History history = fit(net, data, loss, SGD{.lr = 0.1, .momentum = 0.9}, options);
    CHECK(history.stopped.empty());
    CHECK(history.epochs.back().validation_loss == doctest::Approx(evaluate(net, data, loss).loss));
    CHECK(history.epochs.back().validation_accuracy == score(net, data, loss));
    CHECK(evaluate(net, data, loss).accuracy == score(net, data, loss));
    return std::vector<double>(net.data(), net.data() + Program<Model>::arena_size);
  };
  const auto want = train(Reference{});
  for (const int threads : {1, 3}) {
    const auto got = train(Host{.threads = threads});
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - want[i]) < 1e-10);
  }
}

}  // namespace

TEST_CASE("fit learns a class for each step and each pixel") {
  const Sequences sequences;
  const auto tagged = dataset(sequences.x, sequences.labels);
  Network<Tagger> tagger{{.seed = 3}};
  CHECK(score(tagger, tagged, tags) < 0.6);
  fit(tagger, tagged, tags, Adam{.lr = 0.03}, {.batch_size = 10, .epochs = 60});
  CHECK(score(tagger, tagged, tags) > 0.93);

  const Images images;
  const auto drawn = dataset(images.x, images.labels);
  Network<Segmenter> segmenter{{.seed = 3}};
  CHECK(score(segmenter, drawn, edges) < 0.8);
  fit(segmenter, drawn, edges, Adam{.lr = 0.03}, {.batch_size = 10, .epochs = 60});
  CHECK(score(segmenter, drawn, edges) > 0.93);
}

TEST_CASE("Host and Reference train alike") {
  const Sequences sequences;
  const Images images;
  check_alike<Tagger>(dataset(sequences.x, sequences.labels), tags);
  check_alike<Tagger>(dataset(sequences.x, sequences.padded_labels), padded);
  check_alike<Segmenter>(dataset(images.x, images.labels), edges);
}

TEST_CASE("the loss of a network is that of its outputs on tensors") {
  const Sequences sequences;
  const auto data = dataset(sequences.x, sequences.padded_labels);
  const Network<Tagger, Host, Float64> net{{.seed = 3}};
  const auto y = predict(net, data);
  Tensor<double, Shape<steps>> labels(90);
  for (std::size_t i = 0; i < labels.values().size(); ++i)
    labels.data()[i] = static_cast<double>(sequences.padded_labels.data()[i]);
  CHECK(evaluate(net, data, padded).loss == doctest::Approx(padded(y, labels).value));
  std::size_t right = 0, judged = 0;
  for (std::size_t i = 0; i < 90 * steps; ++i) {
    if (labels.data()[i] < 0) continue;
    ++judged;
    right += predicted_class(y.data() + 3 * i, 3) == static_cast<int>(labels.data()[i]);
  }
  CHECK(score(net, data, padded) == static_cast<double>(right) / static_cast<double>(judged));
}

TEST_CASE("two batches accumulated are one, whatever counts in each") {
  Sequences sequences;
  for (std::size_t i = 30; i < 60; ++i)
    for (int t = 0; t < steps; ++t) sequences.padded_labels(i, t) = -100;  // nothing counts
  const auto data = dataset(sequences.x, sequences.padded_labels);
  Network<Tagger, Host, Float64> whole{{.seed = 3}}, parts{{.seed = 3}};
  Trainer at_once{whole, padded, SGD{.lr = 0.5}}, by_parts{parts, padded, SGD{.lr = 0.5}};
  at_once.step(data);
  for (std::size_t first = 0; first < 90; first += 30) by_parts.accumulate(subset(data, first, 30));
  by_parts.update();
  for (std::size_t i = 0; i < Program<Tagger>::arena_size; ++i)
    CHECK(std::abs(whole.data()[i] - parts.data()[i]) < 1e-12);
}

TEST_CASE("rows with weights") {
  const Sequences sequences;
  std::vector<double> weights(90, 1);
  for (std::size_t i = 0; i < 90; i += 3) weights[i] = 0, weights[i + 1] = 2;
  const auto data = dataset(sequences.x, sequences.padded_labels, weights);
  const Network<Tagger, Host, Float64> net{{.seed = 3}};
  const auto y = predict(net, dataset(sequences.x, sequences.labels));
  Tensor<double, Shape<steps>> labels(90);
  std::copy_n(sequences.padded_labels.data(), labels.values().size(), labels.data());
  CHECK(evaluate(net, data, padded).loss == doctest::Approx(padded(y, labels, weights).value));
  const std::vector<double> none(90, 0);
  CHECK(evaluate(net, dataset(sequences.x, sequences.padded_labels, none), padded).loss == 0);
}

TEST_CASE("ranks divide its batches") {
  const Sequences sequences;
  const auto data = dataset(sequences.x, sequences.padded_labels);
  const auto trained = [&](auto&& device) {
    Network<Tagger, std::remove_cvref_t<decltype(device)>> net{device, {.seed = 3}};
    fit(net, data, padded, SGD{.lr = 0.1}, {.batch_size = 32, .epochs = 2});
    return std::pair(std::vector<float>(net.data(), net.data() + Program<Tagger>::arena_size),
                     score(net, data, padded));
  };
  const auto want = trained(Host{.threads = 1});
  Threads(3).run([&](Communicator& world) { CHECK(trained(Ranks<Host>{world, Host{.threads = 1}}) == want); });
}

TEST_CASE("check_gradient") {
  CHECK(check_gradient(tags).passed());
  CHECK(check_gradient(edges).passed());
}

TEST_CASE("a label that is no class is named") {
  Sequences sequences;
  Network<Tagger> net{{.seed = 3}};
  const std::vector<float> before(net.data(), net.data() + Program<Tagger>::arena_size);
  const auto refused = [&](const auto& loss) {
    return error_of([&] { fit(net, dataset(sequences.x, sequences.labels), loss, SGD{}, {.batch_size = 10}); });
  };
  sequences.labels(7, 4) = 3;
  CHECK(has(refused(tags), "row 7 of the targets has the class 3 at position 4, expected a whole number from 0 to 2"));
  sequences.labels(7, 4) = -100;
  CHECK(has(refused(tags), "has the class -100 at position 4"));
  CHECK(refused(padded) == "(no error)");
  const auto data = dataset(sequences.x, sequences.labels);
  CHECK(has(error_of([&] { evaluate(net, data, tags); }), "at position 4"));
  CHECK(has(error_of([&] { score(net, data, tags); }), "at position 4"));
  Trainer trainer{net, tags, SGD{}};
  CHECK(has(error_of([&] { trainer.step(data); }), "at position 4"));
}

TEST_CASE("state carried from chunk to chunk, and members side by side") {
  const Sequences sequences;
  const auto data = dataset(sequences.x, sequences.labels);
  Network<Tagger> net{{.seed = 3}};
  fit(net, data, tags, Adam{.lr = 0.02}, {.batch_size = 5, .epochs = 4, .chunks = 9});
  const double right = score(net, data, tags, {.chunks = 9});
  CHECK(right > 0.4);
  CHECK(evaluate(net, data, tags, {.chunks = 9}).loss < std::log(3.0));

  Ensemble<Tagger> nets{Host{.threads = 2}, 2, {.seed = 3}};
  fit(nets, data, tags, Adam{.lr = 0.02}, {.batch_size = 10, .epochs = 3});
  Network<Tagger> alone{{.seed = 3}};
  fit(alone, data, tags, Adam{.lr = 0.02}, {.batch_size = 10, .epochs = 3});
  CHECK(evaluate(nets[0], data, tags).loss == evaluate(alone, data, tags).loss);
}

TEST_CASE("accuracy of positions in the history, in the lines of Progress and of members") {
  const Sequences sequences;
  const auto data = dataset(sequences.x, sequences.padded_labels);
  Network<Tagger> net{{.seed = 3}};
  std::ostringstream lines;
  const auto history =
      fit(net, data, padded, Adam{.lr = 0.02}, {.batch_size = 10, .epochs = 2, .validation = &data}, Progress{lines});
  const double right = score(net, data, padded);
  CHECK(right > 0.2);
  CHECK(history.epochs[1].validation_accuracy == right);
  CHECK(has(lines.str(), "  accuracy " + fixed_text(100 * right, 2) + " %\n"));

  Ensemble<Tagger> nets{Host{.threads = 2}, 2, {.seed = 3}};
  const auto histories = fit(nets, data, padded, Adam{}, {.batch_size = 10, .held_out = k_folds(90, 2)});
  CHECK(histories[1].epochs[0].validation_accuracy == score(nets[1], subset(data, 45, 45), padded));
  CHECK(evaluate(nets, data, padded)[1].accuracy == score(nets[1], data, padded));
}

TEST_CASE("the confusion matrix of positions, and intersection over union") {
  const Sequences sequences;
  const auto data = dataset(sequences.x, sequences.padded_labels);
  Network<Tagger> net{{.seed = 3}};
  fit(net, data, padded, Adam{.lr = 0.02}, {.batch_size = 10, .epochs = 5});
  const ConfusionMatrix matrix = confusion_matrix(net, data, padded);
  const auto y = predict(net, data);
  std::size_t judged = 0, both[3] = {}, either[3] = {};
  for (std::size_t i = 0; i < 90; ++i)
    for (int t = 0; t < steps; ++t) {
      const int label = static_cast<int>(sequences.padded_labels(i, t));
      if (label < 0) continue;
      int answer = 0;
      for (int c = 1; c < 3; ++c)
        if (y(i, t, c) > y(i, t, answer)) answer = c;
      ++judged;
      for (int c = 0; c < 3; ++c) {
        both[c] += label == c && answer == c;
        either[c] += label == c || answer == c;
      }
    }
  CHECK(matrix.rows() == judged);
  CHECK(matrix.accuracy() == score(net, data, padded));
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    CHECK(matrix.iou(c) == doctest::Approx(static_cast<double>(both[c]) / static_cast<double>(either[c])));
    sum += matrix.iou(c);
  }
  CHECK(matrix.mean_iou() == doctest::Approx(sum / 3));

  const Images images;
  Network<Segmenter> segmenter{{.seed = 3}};
  const auto drawn = dataset(images.x, images.labels);
  CHECK(confusion_matrix(segmenter, drawn, edges).rows() == std::size_t{61 * 20});
  CHECK(confusion_matrix(segmenter, drawn, edges).accuracy() == score(segmenter, drawn, edges));
}
