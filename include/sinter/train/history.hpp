// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/json_text.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/train/chart.hpp"

SINTER_NAMESPACE_BEGIN

/// What one head of a network that ends in Heads came to in an epoch. The factors given to head_losses() are left out.
struct HeadRecord {
  static constexpr double not_counted = std::numeric_limits<double>::quiet_NaN();

  double train_loss = not_counted;
  double validation_loss = not_counted;
  double validation_accuracy = not_counted;
};

/// What one epoch came to. Losses are means over rows; accuracies are shares of rows, 0 to 1; NaN where not counted.
struct EpochRecord {
  static constexpr double not_counted = HeadRecord::not_counted;

  int epoch = 0;  ///< from 1
  double train_loss = not_counted;
  double train_accuracy = not_counted;
  double validation_loss = not_counted;
  double validation_accuracy = not_counted;
  double seconds = 0;  ///< of the training pass, without validation
  double learning_rate = 0;
  std::vector<HeadRecord> heads = {};  ///< in the order of the heads; none where a network has no such
};

/// Mean training loss of the rows since the last record of the kind.
struct IntervalRecord {
  int epoch = 0;            ///< from 1
  std::size_t samples = 0;  ///< seen in that epoch so far
  double loss = EpochRecord::not_counted;
};

/// What fit() returns: a value, to be kept, written or drawn.
struct History {
  std::vector<EpochRecord> epochs;
  std::vector<IntervalRecord> intervals;
  std::size_t samples_per_epoch = 0;
  std::string stopped;  ///< why training ended early; empty if it ran through

  /// The epoch with the least validation loss, or the least training loss where nothing was validated.
  const EpochRecord& best() const;
  std::string csv_text() const;
  std::string json_text() const;
  std::string svg_text() const;

  /// Write a file, whole or not at all; fail where the path cannot be written. CSV has a line an epoch, and nothing
  /// where a number was not counted; JSON has intervals too, and null; SVG draws the curves of loss and accuracy.
  void csv(const std::string& path) const { write_file(path, csv_text()); }
  void json(const std::string& path) const { write_file(path, json_text()); }
  void svg(const std::string& path) const { write_file(path, svg_text()); }
};

namespace detail {

template <class Record>
struct HistoryColumn {
  const char* name;
  double Record::* value;
};
inline constexpr HistoryColumn<HeadRecord> head_columns[] = {
    {"train_loss", &HeadRecord::train_loss},
    {"validation_loss", &HeadRecord::validation_loss},
    {"validation_accuracy", &HeadRecord::validation_accuracy},
};
inline constexpr HistoryColumn<EpochRecord> history_columns[] = {
    {"train_loss", &EpochRecord::train_loss},
    {"train_accuracy", &EpochRecord::train_accuracy},
    {"validation_loss", &EpochRecord::validation_loss},
    {"validation_accuracy", &EpochRecord::validation_accuracy},
    {"seconds", &EpochRecord::seconds},
    {"learning_rate", &EpochRecord::learning_rate},
};

inline std::string json_number(const double& x) { return is_finite(x) ? exact_text(x) : "null"; }

// Of the formats, without the ends of lines.
SINTER_COLD inline std::string csv_header(std::size_t heads) {
  std::string text = "epoch";
  for (const auto& column : history_columns) (text += ',') += column.name;
  for (std::size_t h = 0; h < heads; ++h)
    for (const auto& column : head_columns) text += ",head" + std::to_string(h) + "_" + column.name;
  return text;
}
SINTER_COLD inline std::string csv_row(const EpochRecord& record) {
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
SINTER_COLD inline std::string json_object(const EpochRecord& record) {
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

inline const EpochRecord& History::best() const {
  if (epochs.empty()) fail("best() was asked of a history without epochs; train for one at least");
  double EpochRecord::* loss = &EpochRecord::train_loss;
  for (const auto& record : epochs)
    if (is_finite(record.validation_loss)) loss = &EpochRecord::validation_loss;
  const EpochRecord* best = nullptr;
  for (const auto& record : epochs)
    if (is_finite(record.*loss) && (!best || record.*loss < best->*loss)) best = &record;
  return best ? *best : epochs.back();
}

inline std::string History::csv_text() const {
  std::string text = detail::csv_header(epochs.empty() ? 0 : epochs.front().heads.size()) + '\n';
  for (const auto& record : epochs) text += detail::csv_row(record) + '\n';
  return text;
}

inline std::string History::json_text() const {
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

inline std::string History::svg_text() const {
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
                {"accuracy, %",
                 {line("training", train, &EpochRecord::train_accuracy),
                  line("validation", validation, &EpochRecord::validation_accuracy)},
                 100,
                 100}}}
      .svg_text();
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::EpochRecord;
using internal::HeadRecord;
using internal::History;
using internal::IntervalRecord;
}  // namespace sinter
