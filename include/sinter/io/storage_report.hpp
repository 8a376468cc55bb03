// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sinter/core/number_text.hpp"
#include "sinter/core/predicted_class.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/io/pack.hpp"
#include "sinter/model/head_count.hpp"
#include "sinter/network/unpacked.hpp"

SINTER_NAMESPACE_BEGIN

/// Size and accuracy of a network whose weights are stored as `storage`.
struct StorageCost {
  Storage storage = Storage::float32;
  std::size_t bytes = 0;  ///< of the stored weights, without a header
  double accuracy =
      std::numeric_limits<double>::quiet_NaN();  ///< from 0 to 1; NaN without labels, or with several outputs
  double error = 0;  ///< relative error of all outputs: |y - y32| / |y32| in the 2-norm, y32 the outputs with float32
};

namespace detail {

template <class Net, Dataset D>
std::vector<float> outputs_on(const Net& net, const D& data) {
  constexpr std::size_t at_once = 64;
  std::vector<float> all(data.size() * Net::output_size);
  auto workspace = net.workspace(at_once);
  for (std::size_t i = 0; i < data.size(); i += at_once) {
    const auto part = subset(data, i, std::min(at_once, data.size() - i));
    const auto y = net.forward(part.inputs(), workspace, part.normalize());
    std::copy_n(y.data, y.rows * Net::output_size, all.data() + i * Net::output_size);
  }
  return all;
}

/// Whether accuracy is defined: targets are labels, and the network has a single output, no Heads.
template <class Model, Dataset D>
inline constexpr bool has_accuracy = has_labels<D> && head_count<Model> == 0;

}  // namespace detail

/// Stores a network as float32, float16 and int8, in this order, and runs each on the dataset, on the host. Fails on an
/// empty dataset, on a label out of range, on a number in the data that is not finite, and on weights that are not
/// finite or too large for float16 (above 65504).
template <class ModelType, class Device, class Precision, class Model, Dataset D>
std::array<StorageCost, 3> storage_costs(const Network<ModelType, Device, Precision, Model>& net, const D& data) {
  static_assert(says_scale<D>,
                "sinter: integers need a scale: dataset(rows, labels, Normalize::pixels(mean, deviation))");
  check_size(data);
  if (data.size() == 0) fail("storage_costs was given a dataset of 0 rows; give it 1 or more");
  check_finite<float>(data);
  if constexpr (detail::has_accuracy<Model, D>) check_labels(data.targets(), Model::OutputRow::size);
  std::array<StorageCost, 3> costs{};
  std::vector<float> exact;
  constexpr int n = Model::OutputRow::size;
  for (const Storage storage : {Storage::float32, Storage::float16, Storage::int8}) {
    StorageCost& cost = costs[static_cast<std::size_t>(storage)];
    const auto size = detail::StoragePlan<Model>::size(storage);
    cost = {.storage = storage, .bytes = size.numbers * detail::bytes_of(storage) + size.floats * sizeof(float)};
    Network<ModelType> stored;
    const auto bytes = packed_bytes(net, storage);
    const auto unpacked = std::make_unique<Unpacked<Model>>(std::span<const std::byte>(bytes));
    stored.from_host({unpacked->data(), static_cast<std::size_t>(Program<Model>::storage_size)});
    const std::vector<float> y = detail::outputs_on(stored, data);
    if (exact.empty()) exact = y;
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double d = static_cast<double>(y[i]) - static_cast<double>(exact[i]);
      difference += d * d;
      norm += static_cast<double>(exact[i]) * static_cast<double>(exact[i]);
    }
    cost.error = std::sqrt(difference) / (std::sqrt(norm) + 1e-12);
    if constexpr (detail::has_accuracy<Model, D>) {
      std::size_t right = 0;
      for (std::size_t i = 0; i < data.size(); ++i)
        right += predicted_class(y.data() + i * n, n) == static_cast<int>(data.targets()[i]) ? 1 : 0;
      cost.accuracy = static_cast<double>(right) / static_cast<double>(data.size());
    }
  }
  return costs;
}

/// storage_costs() as a table, a line for each storage: bytes, accuracy (with its change from float32; left out without
/// labels and for several outputs) and relative error of the outputs.
template <class ModelType, class Device, class Precision, class Model, Dataset D>
std::string storage_report(const Network<ModelType, Device, Precision, Model>& net, const D& data) {
  const auto column = [](std::string text, std::size_t width) {
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
  };
  std::string report = "stored as" + column("bytes", 12) +
                       (detail::has_accuracy<Model, D> ? column("accuracy", 20) : "") + column("error of outputs", 18) +
                       "\n";
  const auto costs = storage_costs(net, data);
  for (const StorageCost& cost : costs) {
    std::string name = detail::name_of(cost.storage);
    name.resize(9, ' ');
    report += name + column(std::to_string(cost.bytes), 12);
    if (detail::has_accuracy<Model, D>) {
      const double change = cost.accuracy - costs[0].accuracy;
      report +=
          column(fixed_text(cost.accuracy, 4), 10) +
          column(
              cost.storage == Storage::float32 ? "" : joined({"(", change < 0 ? "" : "+", fixed_text(change, 4), ")"}),
              10);
    }
    report += column(fixed_text(cost.error, 6), 18) + "\n";
  }
  return report;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::storage_costs;
using internal::storage_report;
using internal::StorageCost;
}  // namespace sinter
