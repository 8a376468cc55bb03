// SPDX-License-Identifier: MIT
// labels: threads large
// A network with several outputs against PyTorch (tests/fixtures/README.md).
#include "support/pytorch_training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

struct Several : Sequential<Input<6>, Linear<9>, Tanh,
                            Heads<Path<Linear<7>, ReLU, Linear<4>>, Path<Linear<3>>, Path<Linear<2>, LogSoftmax>>> {};
const auto loss = head_losses<Several>(CrossEntropyLoss{}, 0.5 * MSELoss{}, 2 * NLLLoss{});
static_assert(loss.target_size == 5);

template <class Precision, class Device>
void check(const Device& device, double most, double most_after_ten) {
  check_training_against_pytorch<Several, Shape<5>, Precision>(device, loss, "heads", most, most_after_ten);
}

}  // namespace

TEST_CASE("the reference in double") { check<Float64>(Reference{}, 1e-6, 1e-6); }
TEST_CASE("the host in double") { check<Float64>(Host{.threads = 2}, 1e-6, 1e-6); }
TEST_CASE("the host in float") { check<Float32>(Host{}, 1e-5, 1e-4); }

TEST_CASE("the loss of each head") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/graphs.safetensors");
  const FixtureBatch<Several, double> a(all, "heads", "a");
  Network<Several, Host, Float64> net{{.seed = 1}};
  for (auto& p : net.parameters()) {
    const auto values = all.values<double>("heads.initial." + std::string(p.name));
    std::copy(values.begin(), values.end(), p.value.begin());
  }
  const auto wanted = a.wanted<Shape<5>>();
  const auto data = dataset(a.x, wanted);
  const auto each = evaluate_heads(net, data, loss);
  const auto fixture = all.values<double>("heads.each");
  for (std::size_t h = 0; h < 3; ++h) CHECK(std::abs(each[h].loss - fixture[h]) < 1e-6 * fixture[h]);
  CHECK(std::abs(evaluate(net, data, loss).loss - (each[0].loss + 0.5 * each[1].loss + 2 * each[2].loss)) < 1e-12);

  // Accuracies by the outputs themselves.
  const auto y = predict(net, data);
  const auto kind = head<Several, 0>(y);
  const auto side = head<Several, 2>(y);
  double right = 0, right_side = 0;
  for (std::size_t row = 0; row < y.rows(); ++row) {
    right += predicted_class(kind.row(row), 4) == static_cast<int>(wanted(row, 0));
    right_side += predicted_class(side.row(row), 2) == static_cast<int>(wanted(row, 4));
  }
  CHECK(each[0].accuracy == right / 9);
  CHECK(each[2].accuracy == right_side / 9);
  CHECK(std::isnan(each[1].accuracy));
  CHECK(std::isnan(evaluate(net, data, loss).accuracy));
}
