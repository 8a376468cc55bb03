// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/gradient_check.hpp"
#include "support/safetensors.hpp"

/// Ten steps of a network compared with PyTorch's: groups of fixtures/graphs.safetensors or another file.
namespace sinter_test {

template <class T>
std::vector<double> as_doubles(const T* numbers, std::size_t count) {
  return {numbers, numbers + count};
}

template <class Model, class T>
struct FixtureBatch {
  sinter::Tensor<T, typename Model::InputRow> x;
  std::vector<T> target;
  std::vector<int> labels;
  FixtureBatch(const Safetensors& all, const std::string& group, const std::string& which)
      : x(all[group + ".x." + which].shape[0]), target(all.values<T>(group + ".target." + which)) {
    const auto values = all.values<T>(group + ".x." + which);
    std::copy(values.begin(), values.end(), x.data());
    for (const T label : target) labels.push_back(static_cast<int>(label));
  }
  /// Rows of `Row`, or labels for `void`.
  template <class Row>
  auto wanted() const {
    if constexpr (std::is_void_v<Row>) {
      return labels;
    } else {
      sinter::Tensor<T, Row> rows(x.rows());
      std::copy(target.begin(), target.end(), rows.data());
      return rows;
    }
  }
};

template <class Net>
void check_tensors(const typename Net::Scalar* numbers, const Safetensors& all, const std::string& group, double most) {
  for (const sinter::internal::Parameter& p : Net::Ops::parameters) {
    const std::string name = group + "." + std::string(p.name);
    CAPTURE(name);
    CHECK(norm_error(as_doubles(numbers + p.offset, static_cast<std::size_t>(p.size)), all.values<double>(name)) <
          most);
  }
}

/// Outputs, the gradients of the first batch, and losses and parameters of ten steps a, b, a, ..
template <class Model, class TargetRow, class Precision, class Device, class Loss>
void check_training_against_pytorch(const Device& device, const Loss& loss, const std::string& group, double most,
                                    double most_after_ten, const std::string& file = "graphs") {
  using Net = sinter::Network<Model, Device, Precision>;
  using T = typename Precision::Scalar;
  const Safetensors all(std::string(SINTER_FIXTURES) + "/" + file + ".safetensors");
  const FixtureBatch<Model, T> a(all, group, "a"), b(all, group, "b");
  Net net(device, {.seed = 1});
  for (auto& p : net.parameters()) {
    const auto values = all.values<T>(group + ".initial." + std::string(p.name));
    REQUIRE(values.size() == p.value.size());
    std::copy(values.begin(), values.end(), p.value.begin());
  }
  std::size_t parameters = 0;
  for (const auto& entry : all.tensors()) parameters += entry.first.rfind(group + ".initial.", 0) == 0;
  CHECK(parameters == net.parameters().size());

  auto workspace = net.workspace(a.x.rows());
  const auto y = net.forward(a.x, workspace);
  CHECK(norm_error(as_doubles(y.data, all[group + ".y"].values.size()), all.values<double>(group + ".y")) < most);

  sinter::Trainer trainer{net, loss, sinter::SGD{.lr = 0.05, .momentum = 0.9}};
  sinter::Tensor<T, typename Model::InputRow> dx;
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step) {
    const auto& batch = step % 2 == 0 ? a : b;
    const auto wanted = batch.template wanted<TargetRow>();
    losses.push_back(
        static_cast<double>(step == 0 ? trainer.accumulate(batch.x, wanted, dx) : trainer.step(batch.x, wanted)));
    if (step != 0) continue;
    CHECK(norm_error(as_doubles(dx.data(), all[group + ".dx"].values.size()), all.values<double>(group + ".dx")) <
          most);
    check_tensors<Net>(net.gradient().data(), all, group + ".gradient", most);
    trainer.update();
  }
  CHECK(norm_error(losses, all.values<double>(group + ".losses")) < most_after_ten);
  check_tensors<Net>(net.data(), all, group + ".final", most_after_ten);
}

}  // namespace sinter_test
