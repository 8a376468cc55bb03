// SPDX-License-Identifier: MIT
// labels: threads large unsanitized
// A network with several outputs against PyTorch (tests/fixtures/README.md).
#include "support/pytorch_training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Several : Sequential<Input<6>, Linear<9>, Tanh,
                            Heads<Path<Linear<7>, ReLU, Linear<4>>, Path<Linear<3>>, Path<Linear<2>, LogSoftmax>>> {};
const auto loss = head_losses<Several>(CrossEntropyLoss{}, 0.5 * MSELoss{}, 2 * NLLLoss{});
static_assert(loss.target_size == 5 && !WeighsHeads<decltype(loss)>);

struct Weighed
    : Sequential<Input<6>, Linear<9>, Tanh, Heads<Path<Linear<7>, ReLU, Linear<4>>, Path<Linear<3>>, Path<Linear<2>>>> {
};
const auto weighed = head_losses<Weighed>(
    WeightedCrossEntropyLoss<4>{.weight = {1, 2, 0.5, 3}, .ignore_index = -1, .label_smoothing = 0.1}, 0.5 * MSELoss{},
    2 * WeightedCrossEntropyLoss<2>{.weight = {0.25, 1}, .ignore_index = -1});
static_assert(WeighsHeads<decltype(weighed)>);

template <class Precision, class Device>
void check(const Device& device, double most, double most_after_ten) {
  check_training_against_pytorch<Several, Shape<5>, Precision>(device, loss, "heads", most, most_after_ten);
}

}  // namespace

TEST_CASE("the host in double") { check<Float64>(Host{.threads = 2}, 1e-6, 1e-6); }
TEST_CASE("the host in float") { check<Float32>(Host{}, 1e-5, 1e-4); }

TEST_CASE("weights of classes, and labels that are left out, in two of the heads") {
  check_training_against_pytorch<Weighed, Shape<5>, Float64>(Host{.threads = 2}, weighed, "weighed_heads", 1e-6, 1e-6);
}

namespace {

template <class Model, class Loss>
void check_each_head(const std::string& group, const Loss& criterion) {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/graphs.safetensors");
  const FixtureBatch<Model, double> a(all, group, "a");
  Network<Model, Host, Float64> net{NetworkOptions{.seed = 1}};
  for (auto& p : net.parameters()) {
    const auto values = all.values<double>(group + ".initial." + std::string(p.name));
    std::copy(values.begin(), values.end(), p.value.begin());
  }
  const auto wanted = a.template wanted<Shape<5>>();
  const auto data = dataset(a.x, wanted);
  const auto each = evaluate_heads(net, data, criterion);
  const auto fixture = all.values<double>(group + ".each");
  for (std::size_t h = 0; h < 3; ++h) CHECK(std::abs(each[h].loss - fixture[h]) < 1e-6 * fixture[h]);
  const double sum = each[0].loss + 0.5 * each[1].loss + 2 * each[2].loss;
  CHECK(std::abs(evaluate(net, data, criterion).loss - sum) < 1e-12);
  CHECK(std::abs(criterion(predict(net, data), wanted).value - sum) < 1e-12);

  // Accuracies by the outputs themselves.
  const auto y = predict(net, data);
  const auto kind = head<Model, 0>(y);
  const auto side = head<Model, 2>(y);
  double right = 0, right_side = 0, kinds = 0, sides = 0;
  for (std::size_t row = 0; row < y.rows(); ++row) {
    right += predicted_class(kind.row(row), 4) == static_cast<int>(wanted(row, 0));
    right_side += predicted_class(side.row(row), 2) == static_cast<int>(wanted(row, 4));
    kinds += wanted(row, 0) >= 0;
    sides += wanted(row, 4) >= 0;
  }
  CHECK(each[0].accuracy == right / kinds);
  CHECK(each[2].accuracy == right_side / sides);
  CHECK(std::isnan(each[1].accuracy));
  CHECK(std::isnan(evaluate(net, data, criterion).accuracy));
}

}  // namespace

TEST_CASE("the loss of each head") {
  check_each_head<Several>("heads", loss);
  check_each_head<Weighed>("weighed_heads", weighed);
}
