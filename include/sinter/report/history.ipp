// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/json_text.hpp"
#include "sinter/report/history.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string csv_header(std::size_t heads) {
  std::string text = "epoch";
  for (const auto& column : history_columns) (text += ',') += column.name;
  for (std::size_t h = 0; h < heads; ++h)
    for (const auto& column : head_columns) text += ",head" + std::to_string(h) + "_" + column.name;
  return text;
}

SINTER_FUNCTION std::string csv_row(const EpochRecord& record) {
  std::string text = std::to_string(record.epoch);
  const auto add = [&](const double& value) {
    text += ',';
    if (is_finite(value)) text += exact_text(value);
  };
  for (const auto& column : history_columns) add(record.*column.value);
  for (const HeadRecord& head : record.heads)
    for (const auto& column : head_columns) add(head.*column.value);
  return text;
}

SINTER_FUNCTION std::string json_object(const EpochRecord& record) {
  std::string text = "{\"epoch\": " + std::to_string(record.epoch);
  const auto add = [&](const char* name, const double& value) {
    (((text += ", \"") += name) += "\": ") += json_number(value);
  };
  for (const auto& column : history_columns) add(column.name, record.*column.value);
  for (std::size_t h = 0; h < record.heads.size(); ++h) {
    text += (h == 0 ? ", \"heads\": [{\"head\": " : ", {\"head\": ") + std::to_string(h);
    for (const auto& column : head_columns) add(column.name, record.heads[h].*column.value);
    text += h + 1 < record.heads.size() ? "}" : "}]";
  }
  return text += '}';
}

}  // namespace detail

SINTER_FUNCTION const EpochRecord& History::best() const {
  if (epochs.empty()) fail("best() was called on a history without epochs; train for at least one");
  double EpochRecord::* loss = &EpochRecord::train_loss;
  for (const auto& record : epochs)
    if (is_finite(record.validation_loss)) loss = &EpochRecord::validation_loss;
  const EpochRecord* best = nullptr;
  for (const auto& record : epochs)
    if (is_finite(record.*loss) && (!best || record.*loss < best->*loss)) best = &record;
  return best ? *best : epochs.back();
}

SINTER_FUNCTION std::string History::csv_text() const {
  std::string text = detail::csv_header(epochs.empty() ? 0 : epochs.front().heads.size()) + '\n';
  for (const auto& record : epochs) text += detail::csv_row(record) + '\n';
  return text;
}

SINTER_FUNCTION std::string History::json_text() const {
  std::string text = "{\"epochs\": [";
  for (const auto& record : epochs) {
    text += &record == epochs.data() ? "\n" : ",\n";
    text += "  " + detail::json_object(record);
  }
  text += "],\n\"intervals\": [";
  for (const auto& record : intervals) {
    text += &record == intervals.data() ? "\n" : ",\n";
    text += "  {\"epoch\": " + std::to_string(record.epoch) + ", \"samples\": " + std::to_string(record.samples) +
            ", \"loss\": " + detail::json_number(record.loss) + "}";
  }
  text += "],\n\"samples_per_epoch\": " + std::to_string(samples_per_epoch);
  return text + ",\n\"stopped\": " + json_string(stopped) + "}\n";
}

SINTER_FUNCTION std::string History::svg_text() const {
  const auto line = [&](const std::string& name, const std::string& color, double EpochRecord::* value) {
    Curve curve{name, color, {}};
    for (const auto& record : epochs) curve.points.push_back({double(record.epoch), record.*value});
    return curve;
  };
  Curve fine{"", "#b9cfe4", {}};
  std::size_t per_epoch = samples_per_epoch;
  for (const auto& record : intervals) per_epoch = record.samples > per_epoch ? record.samples : per_epoch;
  for (const auto& record : intervals)
    fine.points.push_back({record.epoch - 1 + double(record.samples) / double(per_epoch ? per_epoch : 1), record.loss});

  constexpr const char *train = "#2a6fbb", *validation = "#d95f0e";
  return Chart{"",
               {{"loss",
                 {fine, line("training", train, &EpochRecord::train_loss),
                  line("validation", validation, &EpochRecord::validation_loss)}},
                {"accuracy, %", {line("validation", validation, &EpochRecord::validation_accuracy)}, 100, 100}}}
      .svg_text();
}

SINTER_NAMESPACE_END
